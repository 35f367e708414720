"""Reads whole files that must be files: a pipe, a device or a huge one there is an error at once, never a wait."""

import errno
import os
import stat

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a regular file of at most that many bytes; links are followed.

    Anything else raises `OSError`, whose `strerror` says why.
    """
    _check(os.stat(path), path, most)  # opening some devices does something already
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as file:
        return read_opened(file.fileno(), path, most)


def read_opened(opened: int, path: str | os.PathLike[str], most: int) -> bytes:
    """The same for a file that is open already; it stays open."""
    _check(os.fstat(opened), path, most)
    with os.fdopen(opened, "rb", closefd=False) as file:
        body = file.read(most + 1)
    if len(body) > most:  # it grows while it is read
        raise _too_large(path, most)
    return body


def _check(found: os.stat_result, path: str | os.PathLike[str], most: int) -> None:
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        why = f"It is {_KINDS.get(kind, 'something else')}, not a file"
        raise OSError(errno.EINVAL, why, os.fspath(path))
    if found.st_size > most:
        raise _too_large(path, most)


def _too_large(path: str | os.PathLike[str], most: int) -> OSError:
    return OSError(errno.EFBIG, f"It is larger than {most:,} bytes", os.fspath(path))
