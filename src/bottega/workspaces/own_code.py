"""The code that this process runs, and may still load: no agent and no file route may change it.

That is the package with the pages that it serves, the interpreter, and every folder that Python imports from. Whole
folders are protected: a new module in one of them could take the place of another. Where such a folder lies in a
workspace, sandboxes mount it read-only, and whatever writes files refuses it.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

from bottega.errors import Refused

_WALKED = 300_000
"""Entries of a workspace that are looked at for second names of protected files."""

Identity = tuple[int, int]

INTERPRETER = os.path.join(
    os.path.realpath(os.path.dirname(sys.executable)), os.path.basename(sys.executable)
)
"""What starts more processes of this program. No link on the way to it is followed again: it may be another by then."""


class OwnCode(Refused):
    """The path is a part of the program that is running."""

    code = "own_code"


class Protected(msgspec.Struct, frozen=True):
    paths: tuple[str, ...]
    """Real paths of folders and files, none inside another."""
    links: tuple[str, ...]
    """Symbolic links on the way to them, by the names that they are known by."""
    identities: frozenset[Identity]


@cache
def protected() -> Protected:
    """What is protected; found once, when it is first asked for."""
    named = dict.fromkeys(os.path.abspath(each) for each in _named() if each)
    real = {os.path.realpath(each) for each in named if os.path.exists(each)} - {"/"}
    links = dict.fromkeys(link for each in named for link in links_on(each))
    outer = _outermost(real)
    return Protected(
        outer,
        tuple(link for link in links if not any(is_beneath(link, each) for each in outer)),
        frozenset(filter(None, map(_identity, outer))),
    )


def _named() -> Iterator[str]:
    """Every place that code of this process comes from, as it is spelled."""
    yield os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield from (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    yield from (sys.executable, getattr(sys, "_base_executable", ""), sys.pycache_prefix or "")
    script = _scripts_folder()
    yield from (each for each in sys.path if os.path.realpath(each) != script)
    for module in list(sys.modules.values()):
        if "." in getattr(module, "__name__", "."):
            continue
        found = [*getattr(module, "__path__", ()), getattr(module, "__file__", None)]
        for each in found if module.__name__ != "__main__" else ():
            if isinstance(each, str) and not (
                script and is_beneath(os.path.realpath(each), script)
            ):
                yield each


def _scripts_folder() -> str:
    """The folder of the script that was started, if Python imports from there; empty: it does not.

    A program that uses the library is often a script in the very folder that it works on: that folder is not made
    read-only, but nothing happens unasked in it (`exposed`).
    """
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    beside = os.path.realpath(os.path.dirname(os.path.abspath(main))) if main else os.getcwd()
    if all(os.path.realpath(each) != beside for each in sys.path):
        return ""
    own = (sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(__file__)))
    return "" if any(is_beneath(beside, os.path.realpath(each)) for each in own) else beside


def real_entries(path: Iterable[str]) -> list[str]:
    """The folders and archives of a `sys.path` that are there, by their real paths: no link on the way counts again."""
    return [os.path.realpath(each) for each in path if each and os.path.exists(each)]


def within(folder: str) -> list[str]:
    """The protected paths that lie in a workspace, given as a real path."""
    return [each for each in protected().paths if each != folder and is_beneath(each, folder)]


def is_home_of_program(folder: str) -> bool:
    """Whether this is a checkout of the running program, or a part of it; not a project that has it installed."""
    package = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
    if any(is_beneath(folder, each) for each in (*real_entries(sys.path), package)):
        return True
    prefix = os.path.realpath(sys.prefix)
    return is_beneath(package, folder) and (not is_beneath(package, prefix) or folder == prefix)


def exposed(folder: str) -> str:
    """Why the program's code in this workspace cannot be protected, as a sentence; empty: it can, or there is none.

    `folder` is a real path. Waits for the disk.
    """
    for each in protected().paths:
        if is_beneath(folder, each):
            return f"The folder {folder!r} is a part of the program that is running ({each!r})."
    for link in protected().links:
        if is_beneath(link, folder):
            return f"The program that is running is reached through the link {link!r}, which lies in the folder."
    script = _scripts_folder()
    if script and (is_beneath(script, folder) or is_beneath(folder, script)):
        return f"The program that is running imports from {script!r}."
    if (inside := within(folder)) and (name := _second_name(folder, tuple(inside))):
        return f"A part of the program that is running has a second name in the folder, {name!r}."
    return ""


def refuse_change(folder: str, *paths: str) -> None:
    """Refuse what would change a protected path, or move one away; the paths are canonical, from a real folder.

    Waits for the disk.
    """
    for path in paths:
        at = folder if path == "." else os.path.join(folder, path)
        for each in protected().paths:
            if is_beneath(each, at):
                raise _refused(path)
        above = at
        while len(above) > 1:
            if _identity(above) in protected().identities or above in protected().links:
                raise _refused(path)
            above = os.path.dirname(above)


def _refused(path: str) -> OwnCode:
    return OwnCode(
        f"The path {path!r} is a part of the program that is running, which nothing may change from inside.",
        hint="To work on Bottega itself, run another copy of it, from outside of this folder.",
    )


def is_beneath(path: str, folder: str) -> bool:
    """Whether a path is the folder, or lies in it; by letters."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def parents(path: str, folder: str) -> list[str]:
    """The folders between the two, the outermost first."""
    found: list[str] = []
    above = os.path.dirname(path)
    while above != folder and is_beneath(above, folder):
        found.append(above)
        above = os.path.dirname(above)
    return found[::-1]


def _outermost(paths: set[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for path in sorted(paths):
        if not any(is_beneath(path, each) for each in kept):
            kept.append(path)
    return tuple(kept)


def links_on(path: str) -> Iterator[str]:
    """The symbolic links that a path passes; those that they lead to as well."""
    for _ in range(40):
        at, rest = "/", path.split("/")[1:]
        for place, name in enumerate(rest):
            at = os.path.join(at, name)
            if os.path.islink(at):
                yield at
                target = os.path.join(os.path.dirname(at), os.readlink(at))
                path = os.path.normpath(os.path.join(target, *rest[place + 1 :]))
                break
        else:
            return


def _identity(path: str) -> Identity | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):  # nothing there, or no path at all
        return None
    return found.st_dev, found.st_ino


@cache
def _second_name(folder: str, inside: tuple[str, ...]) -> str:
    """A name in the workspace by which a protected file could be written; looked for once: a sandbox can make none."""
    shared: set[Identity] = set()
    for each in inside:
        shared.update(_shared(each))
    if not shared:
        return ""
    walked, left = 0, [folder]
    while left:
        above = left.pop()
        try:
            with os.scandir(above) as found:
                for entry in found:
                    walked += 1
                    if walked > _WALKED:
                        return above
                    if entry.path in inside:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    elif _identity(entry.path) in shared:
                        return entry.path
        except OSError:  # it went, or may not be read
            continue
    return ""


def _shared(path: str) -> Iterator[Identity]:
    """The files of a protected path that have more than one name."""
    for above, _, files in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:
        for name in files:
            try:
                found = os.lstat(os.path.join(above, name))
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
                yield found.st_dev, found.st_ino
