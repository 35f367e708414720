"""Takes from this thread, and from what it starts, every file but those it is to read (Linux's Landlock).

It cannot be undone: call it in a thread that ends soon. Where the kernel has no Landlock, nothing is taken.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_EVERY_FILE_RIGHT = (1 << 13) - 1
"""Those of the first version: whatever writes, makes or removes, besides running and reading."""
_EVERY_TCP_RIGHT = 0b11
_TCP_SINCE = 4


def restrict(read: Iterable[int], run: Iterable[str]) -> bool:
    """Leave these open files and folders to be read, these paths to be read and run, and the null device; nothing else.

    Returns False where the kernel cannot do that.
    """
    version = _version()
    if version < 1:
        return False
    ruleset = _ruleset(version)
    try:
        for opened in read:
            _allow(ruleset, opened, _READ_FILE)
        for path in run:
            _allow_path(ruleset, path, _EXECUTE | _READ_FILE)
        _allow_path(ruleset, os.devnull, _READ_FILE | _WRITE_FILE)
        _call(None, _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _version() -> int:
    if not _found:
        _found.append(_asked())
    return _found[0]


_found: list[int] = []


def _asked() -> int:
    if sys.platform != "linux" or os.uname().machine not in {"x86_64", "aarch64"}:
        return 0
    try:
        return _call(_CREATE, None, 0, 1)
    except OSError:
        return 0


def _ruleset(version: int) -> int:
    import ctypes

    rights = (ctypes.c_uint64 * 2)(_EVERY_FILE_RIGHT, _EVERY_TCP_RIGHT)
    size = ctypes.sizeof(rights) if version >= _TCP_SINCE else 8
    return _call(_CREATE, rights, size, 0)


def _allow_path(ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as problem:
        if problem.errno in (errno.ENOENT, errno.EACCES):
            return
        raise
    try:
        _allow(ruleset, opened, rights)
    finally:
        os.close(opened)


def _allow(ruleset: int, opened: int, rights: int) -> None:
    """Give a right to a file, or to all that lies in a folder, which may be listed then."""
    import ctypes

    if stat.S_ISDIR(os.fstat(opened).st_mode):
        rights |= _READ_FOLDER

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))

    beneath = Beneath(rights, opened)
    _call(_ADD, ruleset, 1, ctypes.byref(beneath), 0)


def _call(number: int | None, *arguments: Any) -> int:
    """One system call; without a number it is prctl. Raises OSError."""
    import ctypes

    libc: Any = ctypes.CDLL(None, use_errno=True)
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    if number is None:
        answer = int(libc.prctl(*wide))
    else:
        libc.syscall.restype = ctypes.c_long
        answer = int(libc.syscall(ctypes.c_long(number), *wide))
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer
