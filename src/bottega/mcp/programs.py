"""Finds a server's program, and what of the machine it must be able to read to run in a sandbox.

A server runs unasked and with secrets, so nothing of it is ever taken out of a folder in which agents write; nor does
it start there, where launchers and interpreters would take files for parts of it. Its sandbox shows no project but the
session's own, and that one only where it is known what the command line runs.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from bottega.errors import Misconfigured
from bottega.mcp.entry.agents_files import AgentsFiles
from bottega.mcp.entry.command_line import data_begins
from bottega.mcp.server import FOLDER, McpServer
from bottega.regular_file import read_regular
from bottega.workspaces.programs import outside, workspace_folders

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
    sees_folder: bool
    """Whether it is shown the session's folder."""


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
    agents = AgentsFiles({folder, *workspace_folders()})
    data = _data_begins(name, (found, *server.args))
    argv = (found, *(each.replace(FOLDER, folder) for each in server.args))
    parts = {*_around(found), *_of_arguments(server.args)}
    _refuse_agents_files(name, server, agents, {found, *parts})
    _refuse_led(name, agents, argv[: data or len(argv)])
    beside = os.path.dirname(found)
    return Program(
        argv=("/bin/sh", "-c", _ELSEWHERE, "sh", *argv),
        path=_PATH if beside in _PATH.split(":") else f"{beside}:{_PATH}",
        visible=_outermost(iter({*parts, *map(os.path.expanduser, server.visible)})),
        sees_folder=data is not None,
    )


def _data_begins(name: str, argv: tuple[str, ...]) -> int | None:
    """From where on arguments are data; refuses the session's folder before it, and where that is not known."""
    data = data_begins(argv)
    if any(FOLDER in each for each in (argv if data is None else argv[:data])):
        raise Misconfigured(
            f"The MCP server {name!r} names the session's folder where it may be run: agents write there.",
            hint=f"Start the server's own program, installed elsewhere, and write {FOLDER} after it.",
        )
    return data


def _refuse_agents_files(
    name: str, server: McpServer, agents: AgentsFiles, parts: set[str]
) -> None:
    """Whatever the entry names, or the program is made of, in a folder where agents write."""
    texts = (*server.args, *server.env.values(), *map(os.path.expanduser, server.visible))
    held = (each for each in sorted(parts) if agents.holds(each))
    named = (found for each in texts if (found := agents.named_in(each)))
    for each in (*held, *named):
        raise Misconfigured(
            f"The MCP server {name!r} would use {each!r}, which is in a folder where agents write.",
            hint=f"Install it elsewhere. Data of the session's folder is named by {FOLDER}.",
        )


def _refuse_led(name: str, agents: AgentsFiles, code: Sequence[str]) -> None:
    """A script, an installed package or a module that leads to code where agents write."""
    for before, each in pairwise(("", *code)):
        here = {each, os.path.realpath(each)} if os.path.isabs(each) else set[str]()
        found = [led for path in here if (led := agents.used_by(path))]
        if re.fullmatch(r"-\w*m", before):  # it is looked for in `/` as well
            module = "/" + each.replace(".", "/")
            found += [module] if agents.holds(module) else []
        for led in found:
            raise Misconfigured(
                f"The MCP server {name!r} would run {each!r}, which leads to {led!r}, where agents write.",
                hint="Install all of it elsewhere, and no part as editable.",
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
