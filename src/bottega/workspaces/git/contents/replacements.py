"""References that make git take one object for another (`git replace`): whatever an index holds, it writes that other.

They stand in files of their own beneath `refs/replace`, or as lines of `packed-refs`, of which there may be millions:
nothing here costs more than a few bytes for each of a table.
"""

import os
import threading
from collections.abc import Collection, Iterator

from bottega.regular_file import read_opened
from bottega.workspaces.confine import Root
from bottega.workspaces.git.files import beneath, open_readable

PACKED = "packed-refs"
MOST = 64 << 20
"""Bytes of a table that is put right."""
_MARK = b"refs/replace/"
"""Whatever stands before it: git takes a tab for a space there."""
_PIECE = 1 << 20
_one = threading.Lock()
"""One table is read at a time, by all that look."""


def paths(root: Root, prefix: str) -> Iterator[str]:
    """The files of a repository, whose paths begin so, that hold such references."""
    yield from beneath(root, f"{prefix}refs/replace")
    if _names_any(root, f"{prefix}{PACKED}"):
        yield f"{prefix}{PACKED}"


def _names_any(root: Root, path: str) -> bool:
    opened = open_readable(root, path)
    if opened is None:
        return False
    try:
        last, at = b"", 0
        while piece := os.pread(opened, _PIECE, at):
            if _MARK in last + piece:
                return True
            last, at = piece[-len(_MARK) :], at + len(piece)
        return False
    except OSError:
        return True  # nobody can say what it holds
    finally:
        os.close(opened)


def line_of(path: str, content: bytes) -> bytes:
    """What a table says of such a reference that is a file; the path is from where the repository's begin."""
    return content.strip() + b" " + os.fsencode(path)


def lines(table: bytes) -> set[bytes]:
    """What a table says of such references."""
    return {
        b" ".join(table[begin:end].partition(b"\n")[0].split()) for begin, end in _marked(table)
    }


def without_new(root: Root, path: str, known: Collection[bytes]) -> bytes | None:
    """What a table should hold; None: it may stay as it is. A `ValueError` where it is too large to tell."""
    opened = open_readable(root, path)
    if opened is None:
        return None
    try:
        with _one:
            raw = read_opened(opened, path, MOST)
            fresh = cut(raw, known)
            return None if fresh is raw else fresh
    except OSError as problem:
        raise ValueError(problem.strerror) from problem
    finally:
        os.close(opened)


def cut(raw: bytes, known: Collection[bytes]) -> bytes:
    """The lines of `packed-refs` without such references, but for those that are known."""
    kept, at = bytearray(), 0
    for begin, end in _marked(raw):
        if raw[begin:end].partition(b"\n")[0] not in known:
            kept += memoryview(raw)[at:begin]
            at = end
    if not at:
        return raw
    kept += memoryview(raw)[at:]
    return bytes(kept)


def _marked(raw: bytes) -> Iterator[tuple[int, int]]:
    """Where each such line begins, and where it ends with those that belong to it."""
    at = raw.find(_MARK)
    while at >= 0:
        if at and raw[at - 1 : at] == b"/":  # a part of another name, such as a branch's
            at = raw.find(_MARK, at + 1)
            continue
        begin, end = raw.rfind(b"\n", 0, at) + 1, _end(raw, at)
        while raw.startswith(b"^", end):
            end = _end(raw, end)
        yield begin, end
        at = raw.find(_MARK, end)


def _end(raw: bytes, at: int) -> int:
    found = raw.find(b"\n", at)
    return len(raw) if found < 0 else found + 1
