"""Every setting, one class: flag > environment > `home/config.toml` > the project's own file > default.

Each value knows where it came from. This is the only module that reads the environment. A project's file
(`.bottega.toml` in the workspace) may set the keys in `SAFE` and nothing else: a cloned repository must not choose
where requests and keys go.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from bottega.errors import BadUsage, Misconfigured
from bottega.providers.provider import Effort
from bottega.providers.wires import WireName

Source = Literal["flag", "environment", "user file", "project file", "default"]

PROJECT_FILE = ".bottega.toml"


class OwnProvider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider that the user defined: `[providers.NAME]` in the config file."""

    base_url: str
    wire: WireName = "openai-chat"
    key_env: str = ""
    """The environment variable that holds the key; `bottega keys set NAME` is the other way."""


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    model: str = ""
    """The model of new sessions, with its prefix; empty: chosen by what is configured."""
    agent: str = "assistant"
    limits: str = "default"
    """A preset: `default` (50 model calls) or `strict` (8)."""
    provider: str = ""
    """Where names without a prefix go."""
    effort: Effort | None = None
    temperature: float | None = None
    max_output: int | None = None
    reasoning_in_answer: bool = False
    """Put what the model thought in front of its final response."""
    idle_timeout: float = 120.0
    """Seconds without a byte from a provider after which a request is given up."""
    total_timeout: float = 1800.0
    ca_file: str = ""
    """A file with certificates to trust besides the system's."""
    trim_after_days: int = 0
    """Deltas of answers older than this are trimmed at start; 0: never."""
    providers: dict[str, OwnProvider] = {}


SAFE = frozenset({"model", "agent", "limits", "effort", "temperature", "max_output"})
"""What a project's own file may set."""

_ENV = {name: f"BOTTEGA_{name.upper()}" for name in Values.__struct_fields__ if name != "providers"}


class Settings(msgspec.Struct, frozen=True):
    home: Path
    values: Values
    sources: dict[str, Source]
    environment: Mapping[str, str]
    """The process's environment, for the parts that know vendors' variables."""
    ignored: tuple[str, ...] = ()
    """Keys of the project's file that it may not set, and so were left out."""

    @property
    def config_file(self) -> Path:
        return self.home / "config.toml"

    def __repr__(self) -> str:
        return f"Settings(home={str(self.home)!r})"


def default_home(environment: Mapping[str, str]) -> Path:
    """`BOTTEGA_HOME`, else the platform's folder for data."""
    if named := environment.get("BOTTEGA_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("bottega", appauthor=False)


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    home: Path | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """All settings from all places; a value that makes no sense is refused, naming the key and its place."""
    env = dict(os.environ if environment is None else environment)
    home = home or default_home(env)
    merged: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    project, ignored = _project(folder)
    layers: list[tuple[Source, str, dict[str, Any]]] = [
        ("project file", f"{folder or ''}/{PROJECT_FILE}", project),
        ("user file", str(home / "config.toml"), read_file(home / "config.toml")),
        ("environment", "the environment", _environment(env)),
        ("flag", "the command line", {k: v for k, v in (flags or {}).items() if v is not None}),
    ]
    for source, where, layer in layers:
        _check(layer, where)
        for key, value in layer.items():
            merged[key] = value
            sources[key] = source
    values = msgspec.convert(merged, Values, strict=False)
    return Settings(home, values, sources, env, ignored)


def _environment(env: Mapping[str, str]) -> dict[str, Any]:
    return {name: env[variable] for name, variable in _ENV.items() if env.get(variable)}


def _project(folder: Path | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    if folder is None:
        return {}, ()
    found = read_file(folder / PROJECT_FILE)
    safe = {key: value for key, value in found.items() if key in SAFE}
    return safe, tuple(sorted(found.keys() - SAFE))


def read_file(path: Path) -> dict[str, Any]:
    """A TOML file as a plain dictionary; empty if there is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"The file {str(path)!r} is no valid TOML: {error}.",
            hint="Mend that line, or remove the file.",
        ) from error
    except OSError as error:
        raise Misconfigured(f"The file {str(path)!r} cannot be read: {error.strerror}.") from error


def _check(layer: dict[str, Any], where: str) -> None:
    """Convert one layer alone, so that the error can name its place."""
    try:
        msgspec.convert(layer, Values, strict=False)
    except msgspec.ValidationError as error:
        raise BadUsage(
            f"A setting in {where} is wrong: {error}.",
            hint="`bottega config --help` lists the settings.",
        ) from error
