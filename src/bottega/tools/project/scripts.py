"""The commands that a project names for itself: npm scripts, Python scripts, targets of Makefiles and justfiles."""

import json
import re
from functools import partial
from typing import Any, cast

from bottega.messages.json_size import MOST_ARGUMENTS, check_size
from bottega.messages.toml_text import load_toml
from bottega.tools.project.opened import Denied, nothing, text
from bottega.workspaces.confine import Root

_MOST = 40
_LONG = 200
_TARGET = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:[ \t]+[\w.-]+)*[ \t]*:(?![:=])", re.MULTILINE)
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)", re.MULTILINE)
MANIFESTS = (
    *("package.json", "pyproject.toml", "setup.py", "requirements.txt", "Cargo.toml", "go.mod"),
    *("pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "mix.exs"),
    *("Makefile", "justfile", "CMakeLists.txt", "Dockerfile", "docker-compose.yml", "flake.nix"),
)


def scripts(root: Root, denied: Denied = nothing) -> dict[str, Any]:
    """By the file that names them; a file that cannot be understood has none."""
    read = partial(_text, root, denied)
    found: dict[str, Any] = {
        "package.json": _npm(read("package.json")),
        "pyproject.toml": _python(read("pyproject.toml")),
        "Makefile": _targets(_TARGET, read("Makefile")),
        "justfile": _targets(_RECIPE, read("justfile")),
    }
    return {name: commands for name, commands in found.items() if commands}


def _text(root: Root, denied: Denied, name: str) -> str:
    return text(root, name, denied=denied)


def _npm(source: str) -> dict[str, str]:
    try:
        check_size(source, MOST_ARGUMENTS)
        given: object = json.loads(source or "{}")
    except (ValueError, RecursionError):
        return {}
    return _commands(cast("dict[str, Any]", given).get("scripts") if isinstance(given, dict) else 0)


def _python(source: str) -> dict[str, str]:
    import tomllib

    try:
        given = load_toml(source)
    except tomllib.TOMLDecodeError:
        return {}
    poetry = _within(given, "tool", "poetry", "scripts")
    return _commands(poetry) | _commands(_within(given, "project", "scripts"))


def _within(given: Any, *keys: str) -> Any:
    for key in keys:
        given = cast("dict[str, Any]", given).get(key) if isinstance(given, dict) else None
    return given


def _commands(given: Any) -> dict[str, str]:
    if not isinstance(given, dict):
        return {}
    named = cast("dict[str, Any]", given).items()
    plain = [(name, command[:_LONG]) for name, command in named if isinstance(command, str)]
    return dict(plain[:_MOST])


def _targets(pattern: re.Pattern[str], source: str) -> list[str]:
    return list(dict.fromkeys(found[1] for found in pattern.finditer(source)))[:_MOST]
