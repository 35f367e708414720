"""Reaches a path beneath an open folder, and nothing outside it, whoever swaps links meanwhile.

Linux's openat2 does it in one call. Elsewhere `reach` walks one component at a time and never lets
the system follow a link: it reads the link itself and goes on from there. Both answer EXDEV to
whatever leads out, absolute links included.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_OPENAT2 = 437
_NO_MAGICLINKS = 0x02
_NO_SYMLINKS = 0x04
_BENEATH = 0x08
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}
_NO_REPLACE = 1
_LINKS_MAX = 40
_TRIES = 100
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
"""How the walk opens a folder it only passes: with O_PATH no right to read it is needed."""

Openat2 = Callable[[int, bytes, int, int, bool], int]


def openat2() -> Openat2 | None:
    """The kernel's own way, or None where there is none (macOS, old kernels, strict filters)."""
    if not _found:
        _found.append(_bind())
    return _found[0]


_found: list[Openat2 | None] = []


def _bind() -> Openat2 | None:
    if sys.platform != "linux" or os.uname().machine not in {"x86_64", "aarch64"}:
        return None
    import ctypes

    class How(ctypes.Structure):
        _fields_ = (
            ("flags", ctypes.c_uint64),
            ("mode", ctypes.c_uint64),
            ("resolve", ctypes.c_uint64),
        )

    libc = ctypes.CDLL(None, use_errno=True)
    syscall: Any = libc.syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(How),
        ctypes.c_size_t,
    )

    def call(folder: int, path: bytes, flags: int, mode: int, follow: bool = True) -> int:
        resolve = _BENEATH | _NO_MAGICLINKS | (0 if follow else _NO_SYMLINKS)
        how = How(flags | os.O_CLOEXEC, mode, resolve)
        code = 0
        for _ in range(_TRIES):
            opened = int(syscall(_OPENAT2, folder, path, how, ctypes.sizeof(how)))
            if opened >= 0:
                return opened
            code = ctypes.get_errno()
            # EAGAIN: a rename came between while a `..` was resolved; the kernel wants a new try.
            if code not in (errno.EAGAIN, errno.EINTR):
                break
        raise _refusal(code, path)

    return call if _works(call) else None


def rename_new(source: bytes, from_folder: int, target: bytes, to_folder: int) -> None:
    """Give what is at `source` another name, where nothing has that name; EEXIST where something has."""
    number = _RENAMEAT2.get(os.uname().machine) if sys.platform == "linux" else None
    if number:
        import ctypes

        syscall: Any = ctypes.CDLL(None, use_errno=True).syscall
        syscall.restype = ctypes.c_long
        if not syscall(number, from_folder, source, to_folder, target, _NO_REPLACE):
            return
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EINVAL):
            raise _refusal(code, target)
    with suppress(FileNotFoundError):
        os.stat(target, dir_fd=to_folder, follow_symlinks=False)
        raise _refusal(errno.EEXIST, target)
    os.rename(source, target, src_dir_fd=from_folder, dst_dir_fd=to_folder)


def _works(call: Openat2) -> bool:
    try:
        folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.close(call(folder, b".", os.O_RDONLY | os.O_DIRECTORY, 0, True))
        finally:
            os.close(folder)
    except OSError:
        return False
    return True


def open_walking(folder: int, path: bytes, flags: int, mode: int, follow: bool = True) -> int:
    """What openat2 does, step by step; without `follow` no component may be a link."""
    once = bool(flags & os.O_NOFOLLOW) or flags & (os.O_CREAT | os.O_EXCL) == os.O_CREAT | os.O_EXCL

    def act(name: bytes, parent: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=parent)

    return reach(folder, path, act, follow=not once, links=follow)


def open_absolute(path: bytes, find: Openat2 | None) -> int:
    """Open a folder by its absolute path, in which nothing may be a link: ELOOP where something is."""
    top = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flags = os.O_RDONLY | os.O_DIRECTORY
        return (find or open_walking)(top, path.strip(b"/") or b".", flags, 0, False)
    finally:
        os.close(top)


def stat_walking(folder: int, path: bytes, follow: bool = True) -> os.stat_result:
    def act(name: bytes, parent: int) -> os.stat_result:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise _refusal(errno.ELOOP, path)
        return found

    return reach(folder, path, act, follow=True, links=follow)


def descend(
    folder: int,
    steps: list[bytes],
    owner: tuple[int, int] = (-1, -1),
    made: Callable[[int], None] | None = None,
) -> int:
    """Open the folder that `steps` lead to, following no link at all: the same on every system.

    With `made`, folders that are missing are made, for `owner`, and their depth is told.
    """
    at = os.open(".", _PASS, dir_fd=folder)
    try:
        for depth, step in enumerate(steps, 1):
            try:
                after = os.open(step, _PASS, dir_fd=at)
            except FileNotFoundError:
                if made is None:
                    raise
                try:
                    after = _make(step, at, owner)
                    made(depth)
                except FileExistsError:  # another was quicker
                    after = os.open(step, _PASS, dir_fd=at)
            os.close(at)
            at = after
    except BaseException:
        os.close(at)
        raise
    return at


def _make(step: bytes, parent: int, owner: tuple[int, int]) -> int:
    os.mkdir(step, dir_fd=parent)
    # By its descriptor: what has the name by now may be something else, which must not change hands.
    folder = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        if owner != (-1, -1):
            os.fchown(folder, *owner)
        sync_folder(parent)
    except BaseException:
        os.close(folder)
        raise
    return folder


def sync_folder(folder: int) -> None:
    """Make names in an open folder survive a power cut; one that may not be read cannot be asked to."""
    with suppress(PermissionError):
        opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def reach(
    folder: int, path: bytes, act: Callable[[bytes, int], T], *, follow: bool, links: bool = True
) -> T:
    """Call `act(name, parent)` on the last component of `path`; `act` must not follow a link.

    `follow` is about a link at the end; without `links` one anywhere is refused with ELOOP.
    """
    todo = _steps(path)
    passed: list[int] = []
    followed = 0
    try:
        while True:
            name = todo.pop()
            if name == b"..":
                if not passed:
                    raise _refusal(errno.EXDEV, path)
                os.close(passed.pop())
                continue
            parent = passed[-1] if passed else folder
            try:
                if not todo:
                    return act(name, parent)
                if name != b".":
                    passed.append(os.open(name, _PASS, dir_fd=parent))
            except OSError as problem:
                if problem.errno not in (errno.ELOOP, errno.ENOTDIR) or not (follow or todo):
                    raise
                todo += _steps(_link(name, parent, problem, links))
                followed += 1
                if followed > _LINKS_MAX:
                    raise _refusal(errno.ELOOP, path) from None
    finally:
        for passing in passed:
            os.close(passing)


def _link(name: bytes, parent: int, problem: OSError, links: bool) -> bytes:
    """Where the link points; raises `problem` where the component is none."""
    try:
        target = os.readlink(name, dir_fd=parent)
    except OSError as unread:
        if unread.errno == errno.EINVAL:
            raise problem from None
        raise
    if not links:
        raise _refusal(errno.ELOOP, name)
    if target.startswith(b"/"):
        raise _refusal(errno.EXDEV, target)
    return target


def _steps(path: bytes) -> list[bytes]:
    """The steps, last first; a path that must name a folder (`a/`, `a/..`) ends with `.`."""
    raw = path.split(b"/")
    steps = [step for step in raw if step not in (b"", b".")]
    if raw[-1] in (b"", b".", b".."):
        steps.append(b".")
    return steps[::-1]


def _refusal(code: int, path: bytes) -> OSError:
    return OSError(code, os.strerror(code), os.fsdecode(path))
