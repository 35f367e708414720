"""Indexes that would make git write into its own folder: `git checkout .` puts every file where the index says.

Git refuses such paths when it adds them, and trusts those that it finds there.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import suppress

from bottega.errors import Problem
from bottega.regular_file import read_opened
from bottega.workspaces.confine import Root
from bottega.workspaces.git import config
from bottega.workspaces.git.files import look, names
from bottega.workspaces.git.scan import Found
from bottega.workspaces.gitfiles import is_of_git

WHY = "an index that makes git overwrite its own files"
_MOST = 256 << 20
"""Bytes of an index that are read."""
_KNOWN = 256
_known: dict[tuple[int, ...], bool] = {}
"""Indexes that have not changed since they were judged."""
_NO_PARTS = frozenset({b"", b".", b".."})


def misleading(root: Root, found: Found) -> Iterator[str]:
    """The indexes of all repositories that name paths which git itself never would."""
    for repository in sorted(found.repositories):
        prefix = f"{repository}/" if repository else ""
        listed = names(root, repository)
        for name in ["index"] if listed is None else listed:
            is_index = name == "index" or name.startswith("sharedindex.")
            if is_index and _is_misleading(root, prefix + name, prefix):
                yield prefix + name


def _is_misleading(root: Root, path: str, prefix: str) -> bool:
    try:
        opened = root.open_file(path, os.O_RDONLY | os.O_NOFOLLOW, follow=False)
    except (Problem, OSError):
        seen = look(root, path)
        return seen is not None and not seen.is_folder and not seen.is_file
    try:
        now = os.fstat(opened)
        size = _hash_size(root, prefix)
        key = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns, size)
        if key not in _known:
            while len(_known) >= _KNOWN:
                with suppress(KeyError, StopIteration, RuntimeError):
                    del _known[next(iter(_known))]
            _known[key] = not is_plain(read_opened(opened, path, _MOST), size)
        return _known[key]
    except OSError:
        return True  # larger than any that git could use
    finally:
        os.close(opened)


def _hash_size(root: Root, prefix: str) -> int:
    seen = look(root, f"{prefix}config")
    said = config.entries(seen.content) if seen is not None and seen.content else None
    formats = [value for key, value in said or () if key == "extensions.objectformat"]
    return 32 if formats and formats[-1] == "sha256" else 20


def is_plain(raw: bytes, size: int = 20) -> bool:
    """Whether it is an index, with hashes of that size, and all its paths are files of a work tree."""
    if not raw:
        return True
    try:
        return all(map(_is_file, _paths(raw, size)))
    except (struct.error, ValueError, IndexError):
        return False


def _paths(raw: bytes, size: int) -> Iterator[bytes]:
    mark, version, count = struct.unpack_from(">4sII", raw)
    if mark != b"DIRC" or version not in (2, 3, 4):
        raise ValueError
    at, name = 12, b""
    for _ in range(count):
        begin = at
        at += 40 + size
        (flags,) = struct.unpack_from(">H", raw, at)
        at += 4 if flags & 0x4000 else 2
        if version == 4:
            dropped, at = _varint(raw, at)
            if dropped > len(name):
                raise ValueError
            end = raw.index(b"\0", at)
            name = name[: len(name) - dropped] + raw[at:end]
            at = end + 1
        else:
            end = raw.index(b"\0", at)
            name = raw[at:end]
            at = begin + (end - begin + 8) // 8 * 8
        yield name


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = raw[at] & 0x7F
    while raw[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | raw[at] & 0x7F
        if value > len(raw):
            raise ValueError
    return value, at + 1


def _is_file(name: bytes) -> bool:
    if not name:
        return True  # of a split index: it stands in the other one
    parts = name.removesuffix(b"/").split(b"/")
    if not _NO_PARTS.isdisjoint(parts):
        return False
    return (name.isascii() and b"git" not in name.lower()) or not is_of_git(os.fsdecode(name))
