"""Where the programs are that this process starts outside of every sandbox: found once, and never in a workspace.

A project's own folders often come first in PATH, such as `.venv/bin`: what lies there may be an agent's making.
"""

import os
import shutil

from bottega.workspaces.own_code import INTERPRETER, is_beneath

SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def find(name: str) -> str | None:
    """The program of that name: of the system's folders in PATH first, then of the others."""
    return _found(name, tuple(os.get_exec_path()))


_known: dict[tuple[str, ...], str] = {}


def _found(name: str, folders: tuple[str, ...]) -> str | None:
    if (known := _known.get((name, *folders))) is not None:
        return known
    first = sorted(_elsewhere(folders), key=lambda each: each.rstrip("/") not in SYSTEM)
    found = shutil.which(name, path=os.pathsep.join(first))
    if found:
        _known[(name, *folders)] = found
    return found


def beside_interpreter(name: str) -> str | None:
    """A program that was installed with this one."""
    path = os.path.join(os.path.dirname(INTERPRETER), name)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None


def _elsewhere(folders: tuple[str, ...]) -> list[str]:
    """Those that name one place wherever a program is started, and none below the current folder."""
    here = os.path.realpath(os.getcwd())
    whole = [each for each in folders if os.path.isabs(each)]
    return [each for each in whole if here == "/" or not is_beneath(os.path.realpath(each), here)]
