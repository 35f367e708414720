"""Where the programs are that this process starts outside of every sandbox: found once, and never in a workspace.

A project's own folders often come first in PATH, such as `.venv/bin`: what lies there may be an agent's making. That
holds for every project of the home, wherever the server was started; whoever knows them adds them to `workspaces`.
"""

import os
import shutil
from collections.abc import Callable, Iterable

from bottega.workspaces.own_code import INTERPRETER, is_beneath

SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")

workspaces: list[Callable[[], Iterable[str]]] = []
"""Each tells folders in which agents work or have worked."""
_known: dict[tuple[str, tuple[str, ...], tuple[str, ...]], str] = {}


def find(name: str) -> str | None:
    """The program of that name: of the system's folders in PATH first, then of the others."""
    folders, left_out = tuple(os.get_exec_path()), _left_out()
    if (known := _known.get((name, folders, left_out))) is not None:
        return known
    found = shutil.which(name, path=_path(folders, left_out))
    if found:
        _known[name, folders, left_out] = found
    return found


def outside(path: str) -> str:
    """PATH without its entries in workspaces, the system's folders first."""
    return _path(tuple(path.split(os.pathsep)), _left_out())


def _path(folders: tuple[str, ...], left_out: tuple[str, ...]) -> str:
    found = sorted(_elsewhere(folders, left_out), key=lambda each: each.rstrip("/") not in SYSTEM)
    return os.pathsep.join(found)


def workspace_folders() -> frozenset[str]:
    """Every folder in which agents work or have worked, as far as this process knows."""
    return frozenset(folder for tell in workspaces for folder in tell())


def _left_out() -> tuple[str, ...]:
    return tuple(sorted({os.path.realpath(os.getcwd()), *workspace_folders()} - {"/"}))


def beside_interpreter(name: str) -> str | None:
    """A program that was installed with this one."""
    path = os.path.join(os.path.dirname(INTERPRETER), name)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None


def _elsewhere(folders: tuple[str, ...], left_out: tuple[str, ...]) -> list[str]:
    """Those that name one place wherever a program is started, and none in a workspace."""
    whole = [(each, os.path.realpath(each)) for each in folders if os.path.isabs(each)]
    return [
        each for each, real in whole if not any(is_beneath(real, folder) for folder in left_out)
    ]
