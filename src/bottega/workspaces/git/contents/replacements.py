"""References that make git take one object for another (`git replace`): whatever an index holds, it writes that other.

They stand in files of their own beneath `refs/replace`, or as lines of `packed-refs`.
"""

import os
from collections.abc import Iterator

from bottega.regular_file import read_opened
from bottega.workspaces.confine import Root
from bottega.workspaces.git.files import names, open_readable

PACKED = "packed-refs"
_MARK = b" refs/replace/"
_MOST = 256 << 20
_MANY = 10_000
"""Folders that are looked into."""


def paths(root: Root, prefix: str) -> Iterator[str]:
    """The files of a repository, whose paths begin so, that hold such references."""
    left, seen = [f"{prefix}refs/replace"], 0
    while left and seen < _MANY:
        folder, seen = left.pop(), seen + 1
        for name in names(root, folder) or ():
            yield f"{folder}/{name}"
            left.append(f"{folder}/{name}")
    if _MARK in packed(root, f"{prefix}{PACKED}"):
        yield f"{prefix}{PACKED}"


def packed(root: Root, path: str) -> bytes:
    opened = open_readable(root, path)
    if opened is None:
        return b""
    try:
        return read_opened(opened, path, _MOST)
    except (OSError, ValueError):
        return _MARK  # it grows, or is too large: whatever it holds
    finally:
        os.close(opened)


def without_new(raw: bytes, before: bytes) -> bytes:
    """The lines of `packed-refs` without such references, but for those that were there before."""
    known = {line for line in before.split(b"\n") if _MARK in line}
    kept: list[bytes] = []
    dropped = False
    for line in raw.split(b"\n"):
        is_peeled = line.startswith(b"^")  # it belongs to the line above
        dropped = dropped if is_peeled else _MARK in line and line not in known
        if not dropped:
            kept.append(line)
    return b"\n".join(kept)
