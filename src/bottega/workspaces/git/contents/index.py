"""Indexes that would make git write into its own folder: `git checkout .` puts every file where the index says.

Git refuses such paths when it adds them, and trusts those that it finds there. It also trusts the lengths, offsets and
tables of an index, and so may read another one than a reader who goes by something else. Here all of them have to
agree, and every byte has to be accounted for: what could be read in two ways is misleading.
"""

import hashlib
import os
import re
import struct
import threading
from array import array
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress

from bottega.fairness import caller
from bottega.regular_file import read_opened
from bottega.workspaces.confine import PATH_MAX, Root
from bottega.workspaces.git import config, outside
from bottega.workspaces.git.contents.staged import Index, varint
from bottega.workspaces.git.files import is_straight, look, open_readable, walked
from bottega.workspaces.gitfiles import is_refused

_MOST = 256 << 20
"""Bytes of an index that are read."""
_LARGE = 8 << 20
"""Bytes from which on only one is read at a time for each person: together they could take all memory."""
_HUGE = 32 << 20
"""Bytes from which on only two are read at a time, whoever they are for."""
_huge = threading.BoundedSemaphore(2)
_large: dict[int | None, threading.Lock] = {}
_SPARE = 1 << 20
"""Bytes of names beyond four times those of the index: a name may stand for much of the one before it."""
_DEEPEST = 256
"""Folders that a file lies in."""
_HEAD = 12 + 40
"""Bytes that tell whether it can be an index at all."""
_KNOWN = 256
_known: dict[tuple[bytes, int], str | None] = {}
"""Verdicts by content and size of hashes: a file's times say nothing about what a program stores into its memory."""
_NO_PARTS = frozenset({b"", b".", b".."})
_FOLDER = 0o040000
_MODES = frozenset({0o100644, 0o100755, 0o120000, 0o160000, _FOLDER})
_TOKEN = re.compile(rb"[\w.:/+-]*\0", re.ASCII)
"""What git hands to the program that watches files."""


def misleading(root: Root, repository: str) -> Iterator[str]:
    """The indexes of a repository that git could read as others than those that it would write."""
    prefix = f"{repository}/" if repository else ""
    for file in walked(root, repository, deep=False):
        name = file[len(prefix) :]
        if name == "index" or name.startswith("sharedindex."):
            for path in _and_target(root, prefix + name):
                if _is_misleading(root, path, repository):
                    yield path


def read(root: Root, repository: str) -> Index | None:
    """A repository's index, with what it is based on; None: there is none, or it could be read in two ways."""
    prefix = f"{repository}/" if repository else ""
    try:
        size = _hash_size(root, repository)
        raw = _content(root, f"{prefix}index")
        named = _base(raw, size) if raw else None
        if not raw or named is None:
            return None
        return Index(raw, _content(root, f"{prefix}sharedindex.{named}") if named else b"", size)
    except (OSError, ValueError):
        return None


def _content(root: Root, path: str) -> bytes:
    opened = open_readable(root, path)
    if opened is None:
        return b""
    try:
        return read_opened(opened, path, _MOST)
    finally:
        os.close(opened)


def _and_target(root: Root, path: str) -> Iterator[str]:
    yield path
    seen = look(root, path)
    if seen is not None and seen.is_link:
        with suppress(Exception):
            yield root.canonical(path)


def _is_misleading(root: Root, path: str, repository: str) -> bool:
    base = _judged(root, path, repository)
    if base:
        prefix = f"{repository}/" if repository else ""
        return _judged(root, f"{prefix}sharedindex.{base}", repository) is None
    return base is None


def _judged(root: Root, path: str, repository: str) -> str | None:
    """The name of the index that it is based on, empty where there is none; None: it is misleading."""
    opened = open_readable(root, path)
    if opened is None:
        seen = look(root, path)
        return "" if seen is None or seen.is_folder else None
    try:
        size, length = _hash_size(root, repository), os.fstat(opened).st_size
        if length > _MOST or not _may_be(os.pread(opened, _HEAD, 0), length, size):
            return None  # and so it is not read: it may be a hole of many megabytes
        with _place(length):
            return _read(opened, path, max(length, _LARGE), size)
    except (OSError, ValueError):
        return None  # it grows, or is of a repository that cannot be read
    finally:
        os.close(opened)


@contextmanager
def _place(length: int) -> Generator[None]:
    if length <= _LARGE:
        yield
        return
    whose = caller()
    own = _large.setdefault(whose.person if whose else None, threading.Lock())
    with own, _huge if length > _HUGE else nullcontext():
        yield


def _may_be(head: bytes, length: int, size: int) -> bool:
    """Whether there is room for as many entries as it says, and the first of them can be one."""
    if not length:
        return True
    if len(head) < 12:
        return False
    count = int.from_bytes(head[8:12])
    mode = int.from_bytes(head[36:40])
    room = (length - 12 - size) // (40 + size + 3)
    return head[:4] == b"DIRC" and count <= room and (not count or mode in _MODES)


def _read(opened: int, path: str, most: int, size: int) -> str | None:
    return _base(read_opened(opened, path, most), size)


def _base(raw: bytes, size: int) -> str | None:
    """As `base_of`, which is remembered."""
    key = (hashlib.sha256(raw).digest(), size)
    with suppress(KeyError):
        return _known[key]
    while len(_known) >= _KNOWN:
        with suppress(KeyError, StopIteration, RuntimeError):
            del _known[next(iter(_known))]
    base = _known[key] = base_of(raw, size)
    return base


def _hash_size(root: Root, repository: str) -> int:
    """How long hashes are in a repository, as git finds out; a `ValueError` where that cannot be known."""
    at = os.path.join(root.path, repository)
    common = look(root, f"{repository}/commondir" if repository else "commondir")
    if common is not None:
        said = b"" if common.content is None else common.content.rstrip(b"\r\n")
        if not common.is_file or not said or b"\0" in said or not is_straight(said):
            raise ValueError
        at = os.path.normpath(os.path.join(at, os.fsdecode(said)))
    inside = os.path.relpath(os.path.join(at, "config"), root.path)
    if inside.startswith("../"):
        raw = outside.raw(os.path.join(at, "config"))
    else:
        seen = look(root, inside)
        raw = b"" if seen is None else seen.content
    if raw is None:
        raise ValueError
    formats = {value for key, value in config.entries(raw) or () if key == _FORMAT}
    if len(formats) > 1:
        raise ValueError
    return 32 if formats == {"sha256"} else 20


_FORMAT = "extensions.objectformat"


def is_plain(raw: bytes, size: int = 20) -> bool:
    """Whether it is an index, with hashes of that size, and all its paths are files of a work tree."""
    return base_of(raw, size) is not None


def base_of(raw: bytes, size: int) -> str | None:
    """The name of the index that a plain one is based on, empty where there is none; None: it is not plain."""
    if not raw:
        return ""
    try:
        return _Index(raw, size).base
    except (struct.error, ValueError, IndexError):
        return None


class _Index:
    """An index that was read to its last byte; raises `ValueError` and its like for what is not as git writes it."""

    def __init__(self, raw: bytes, size: int) -> None:
        self._raw = raw
        self._size = size
        self._hash = hashlib.sha256 if size == 32 else hashlib.sha1
        self._end = len(raw) - size
        self.base = ""
        self._starts = array("Q")
        """Where each entry begins."""
        self._whole = bytearray()
        """Whether each name stands there without help of the one before."""
        total = raw[self._end :]
        _need(self._end >= 12)
        mark, self._version, count = struct.unpack_from(">4sII", raw)
        _need(mark == b"DIRC" and self._version in (2, 3, 4))
        at, unnamed = self._entries(count)
        self._extensions(at)
        _need(bool(self.base) or not unnamed)
        _need(total in (self._hash(memoryview(raw)[: self._end]).digest(), bytes(size)))

    def _entries(self, count: int) -> tuple[int, bool]:
        """Where they end, and whether some have no name: those stand in the index that this one is based on."""
        raw, size, version = self._raw, self._size, self._version
        at, name, stage, unnamed, room = 12, b"", 0, False, 4 * len(raw) + _SPARE
        for _ in range(count):
            begin, before, last = at, name, stage
            at += 40 + size
            (mode,) = struct.unpack_from(">I", raw, begin + 24)
            (flags,) = struct.unpack_from(">H", raw, at)
            at += 2
            if flags & 0x4000:
                (more,) = struct.unpack_from(">H", raw, at)
                _need(version > 2 and not more & ~0x6000)
                at += 2
            dropped = len(before)
            if version == 4:
                dropped, at = varint(raw, at)
                _need(dropped <= len(before))
            end = raw.index(b"\0", at, self._end)
            name = before[: len(before) - dropped] + raw[at:end]
            _need(flags & 0xFFF == min(len(name), 0xFFF))
            at = end + 1
            if version != 4:
                at = begin + (end - begin + 8) // 8 * 8
                _need(at <= self._end and not any(raw[end:at]))
            stage = flags >> 12 & 3
            self._starts.append(begin)
            self._whole.append(dropped == len(before))
            room -= len(name)
            _need(room >= 0 and len(name) <= 2 * PATH_MAX and name.count(b"/") <= _DEEPEST)
            if name:
                _need((name, stage) > (before, last) or not before)
                _need(mode in _MODES and name.endswith(b"/") == (mode == _FOLDER))
                _need(_is_file(name))
            else:
                _need(not before)
                unnamed = True
        return at, unnamed

    def _extensions(self, at: int) -> None:
        entries_end, heads, seen = at, b"", set[bytes]()
        while at < self._end:
            head = self._raw[at : at + 8]
            mark, length = struct.unpack(">4sI", head)
            body = self._raw[at + 8 : at + 8 + length]
            at += 8 + length
            _need(at <= self._end and mark not in seen and b"EOIE" not in seen)
            seen.add(mark)
            match mark:
                case b"TREE" | b"UNTR":
                    pass  # for the sake of speed: git takes no path to write from it (see `trees`)
                case b"sdir":
                    _need(not body)
                case b"REUC":
                    self._undoing(body)
                case b"FSMN":
                    self._watching(body)
                case b"link":
                    self._based(body)
                case b"IEOT":
                    self._table(body)
                case b"EOIE":
                    _need(body == struct.pack(">I", entries_end) + self._hash(heads).digest())
                case _:
                    raise ValueError
            heads += head
        _need(at == self._end)

    def _undoing(self, body: bytes) -> None:
        """How conflicts were before they were resolved: names, with modes in letters and hashes."""
        at = 0
        while at < len(body):
            end = body.index(b"\0", at)
            _need(_is_file(body[at:end]))
            at = end + 1
            hashes = 0
            for _ in range(3):
                end = body.index(b"\0", at)
                hashes += bool(int(body[at:end], 8))
                at = end + 1
            at += hashes * self._size
        _need(at == len(body))

    @staticmethod
    def _watching(body: bytes) -> None:
        (version,) = struct.unpack_from(">I", body)
        token = _TOKEN.match(body, 4)
        _need(version == 1 or version == 2 and token is not None)

    def _based(self, body: bytes) -> None:
        _need(len(body) >= self._size)
        if any(body[: self._size]):
            self.base = body[: self._size].hex()

    def _table(self, body: bytes) -> None:
        """Where blocks of entries begin, for threads that read them at once."""
        _need(len(body) % 8 == 4 and body[:4] == struct.pack(">I", 1))
        first = 0
        for offset, count in struct.iter_unpack(">II", body[4:]):
            _need(count > 0 and self._starts[first] == offset and bool(self._whole[first]))
            first += count
        _need(first == len(self._starts))


def _need(holds: bool) -> None:
    if not holds:
        raise ValueError


def _is_file(name: bytes) -> bool:
    parts = name.removesuffix(b"/").split(b"/")
    if not _NO_PARTS.isdisjoint(parts):
        return False
    return (name.isascii() and b"git" not in name.lower()) or not is_refused(os.fsdecode(name))
