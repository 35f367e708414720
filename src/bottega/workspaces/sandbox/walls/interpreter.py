"""The Python that the warden runs on: the studio's own where the sandbox's user can reach it, else the system's."""

import os
import subprocess
import sys

import msgspec

from bottega.errors import Problem
from bottega.workspaces.sandbox.walls.view import User

_NEEDED = "import ctypes, json, resource, select, socket, sys; sys.exit(sys.version_info < (3, 8))"
_SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3")


class Interpreter(msgspec.Struct, frozen=True):
    path: str
    prefix: str = ""
    """A folder outside /usr that it lives in; it must be seen in the sandbox."""


_found: dict[tuple[int, str], Interpreter] = {}


def choose(user: User, folder: str) -> Interpreter:
    """Never one that programs could write to: it is the warden's own."""
    key = (user.uid, folder)
    if key not in _found:
        _found[key] = next((each for each in _candidates(folder) if _runs(each, user)), _NONE)
    if not _found[key].path:
        raise Problem(
            "The sandbox needs a Python that the folder's owner can run.",
            hint="Install the system's own: apt-get install python3.",
        )
    return _found[key]


_NONE = Interpreter("")


def _candidates(folder: str) -> list[Interpreter]:
    prefix = os.path.realpath(sys.base_prefix)
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    own = Interpreter(os.path.join(prefix, "bin", name), prefix)
    if prefix == "/usr" or prefix.startswith("/usr/"):
        own = Interpreter(own.path)
    others = [Interpreter(path) for path in _SYSTEM]
    return [each for each in (own, *others) if not _overlaps(os.path.dirname(each.path), folder)]


def _overlaps(place: str, folder: str) -> bool:
    place = os.path.realpath(place)
    return os.path.commonpath([place, folder]) in (place, folder)


def _runs(interpreter: Interpreter, user: User) -> bool:
    if not os.path.exists(interpreter.path):
        return False
    try:
        done = subprocess.run(
            [interpreter.path, "-I", "-S", "-c", _NEEDED],
            user=user.uid if user.dropped else None,
            group=user.gid if user.dropped else None,
            extra_groups=[] if user.dropped else None,
            cwd="/",
            env={},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
