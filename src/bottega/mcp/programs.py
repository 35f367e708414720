"""Finds a server's program, and what of the machine it must be able to read to run in a sandbox.

A server runs unasked, so it is never taken out of the folder in which an agent writes; nor does it start there, where
launchers and interpreters would take files for parts of it.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bottega.errors import Misconfigured
from bottega.mcp.server import FOLDER, McpServer
from bottega.regular_file import read_regular
from bottega.workspaces.programs import outside

_INTERPRETERS = re.compile(
    r"^(python|pypy|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|java|sh|bash|dash|zsh|uv|npx|env)"
)
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/")
"""What every sandbox shows; `/usr/local` is a part of it."""
_PATH = "/usr/local/bin:/usr/bin:/bin"
_HOME = re.compile(r"/(?:home|Users)/[^/]+")
_PERSONAL = frozenset(
    ("Desktop", "Documents", "Downloads", "Library", "Music", "Pictures", "Public", "Videos")
)
_ELSEWHERE = 'cd / && exec "$@"'


class Program(msgspec.Struct, frozen=True):
    argv: tuple[str, ...]
    path: str
    """The folders in which it finds other programs."""
    visible: tuple[str, ...]
    """Folders and files besides the system's own that it must be able to read."""


def find(name: str, server: McpServer, folder: str, path: str) -> Program:
    """The program of a server for the session in `folder`, looked for in `path`; raises `Misconfigured`."""
    if "/" in server.command and not server.command.startswith("/"):
        raise Misconfigured(
            f"The command of the MCP server {name!r} is a relative path.",
            hint="Write the whole path, from the root of the file system.",
        )
    found = shutil.which(server.command, path=outside(path))
    if found is None:
        raise Misconfigured(
            f"The program {server.command!r} of the MCP server {name!r} is not there.",
            hint="Install it, or correct `command`.",
        )
    found = os.path.abspath(found)
    argv = (found, *(each.replace(FOLDER, folder) for each in server.args))
    _refuse_own(name, argv, folder)
    beside = os.path.dirname(found)
    around = {*_around(found), *_of_arguments(argv[1:]), *map(os.path.expanduser, server.visible)}
    return Program(
        argv=("/bin/sh", "-c", _ELSEWHERE, "sh", *argv),
        path=_PATH if beside in _PATH.split(":") else f"{beside}:{_PATH}",
        visible=_outermost(each for each in around if not _is_inside(each, folder)),
    )


def _refuse_own(name: str, argv: tuple[str, ...], folder: str) -> None:
    code = [argv[0]]
    if _INTERPRETERS.match(os.path.basename(argv[0])):
        code += [each for each in argv[1:] if not each.startswith("-")][:1]
    for each in code:
        if os.path.isabs(each) and _is_inside(os.path.realpath(each), os.path.realpath(folder)):
            raise Misconfigured(
                f"The MCP server {name!r} would run {each!r}, which is in the folder where agents write.",
                hint="Install it elsewhere.",
            )


def _around(program: str, depth: int = 0) -> Iterator[str]:
    """The folders that a program is made of: its own, its interpreter's, and those of a virtual environment."""
    for each in {program, os.path.realpath(program)}:
        prefix = _prefix(each)
        yield prefix
        yield from _environment(prefix)
        if prefix == each:
            yield from _packages_beside(each)
    if depth < 3 and (interpreter := _interpreter(program)):
        yield from _around(interpreter, depth + 1)


def _prefix(program: str) -> str:
    """`/opt/node` for `/opt/node/bin/npx`; the folder that a program stands in, for any other."""
    inside, _, _ = program.partition("/node_modules/")
    if inside != program:
        return f"{inside}/node_modules"
    beside = os.path.dirname(program)
    prefix = os.path.dirname(beside) if os.path.basename(beside) == "bin" else beside
    is_whole = os.path.isfile(f"{prefix}/pyvenv.cfg") or not _is_too_much(prefix)
    return prefix if is_whole else program


def _packages_beside(program: str) -> Iterator[str]:
    """The installed packages of a folder such as `~/.local`, of which everything else is the person's own."""
    beside = os.path.dirname(program)
    if os.path.basename(beside) == "bin":
        above = Path(os.path.dirname(beside), "lib")
        yield from map(str, above.glob("python3*/site-packages"))


def _environment(prefix: str) -> Iterator[str]:
    """Where a virtual environment's Python is installed."""
    try:
        text = read_regular(Path(prefix, "pyvenv.cfg"), 64 * 1024).decode()
    except (OSError, UnicodeDecodeError):
        return
    if found := re.search(r"^home\s*=\s*(/.*)$", text, re.MULTILINE):
        home = found[1].strip()
        yield _prefix(f"{home}/python")
        yield _prefix(f"{os.path.realpath(home)}/python")


def _interpreter(program: str) -> str:
    try:
        if not os.path.isfile(program):
            return ""
        with open(program, "rb") as file:
            head = file.read(256)
    except OSError:
        return ""
    if not head.startswith(b"#!"):
        return ""
    words = os.fsdecode(head[2:].split(b"\n")[0]).split()
    if len(words) > 1 and os.path.basename(words[0]) == "env":
        return shutil.which(words[-1], path=f"{os.path.dirname(program)}:{_PATH}") or ""
    return words[0] if words else ""


def _of_arguments(arguments: tuple[str, ...]) -> Iterator[str]:
    """What is named by whole paths: a script's package, a folder, a file."""
    for each in arguments:
        if not each.startswith("/") or not os.path.exists(each):
            continue
        if not os.path.isdir(each):
            yield _package(each)
        elif not _is_too_much(each):
            yield each


def _package(script: str) -> str:
    inside, _, _ = script.partition("/node_modules/")
    if inside != script:
        return f"{inside}/node_modules"
    for folder in list(Path(script).parents)[:5]:
        if _is_too_much(str(folder)):
            break
        if (folder / "package.json").exists() or (folder / "pyproject.toml").exists():
            return str(folder)
    return script


def _is_too_much(folder: str) -> bool:
    """A folder that holds more than one program: everybody's, somebody's home, or what a person keeps right in it."""
    above, name = os.path.split(folder)
    is_kept = name.startswith(".") or name in _PERSONAL
    return folder.count("/") < 2 or _is_home(folder) or (is_kept and _is_home(above))


def _is_home(folder: str) -> bool:
    own = os.path.expanduser("~")
    return folder in (own, os.path.realpath(own), "/root") or bool(_HOME.fullmatch(folder))


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _outermost(paths: Iterator[str]) -> tuple[str, ...]:
    """Without what the system's folders or another of them holds."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not f"{path}/".startswith(_SYSTEM) and not any(_is_inside(path, each) for each in kept):
            kept.append(path)
    return tuple(kept)
