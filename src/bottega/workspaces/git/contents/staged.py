"""What an index holds for files that git would run, or read as settings: `git restore .` writes it there, and runs it.

Only indexes that were read to their last byte (`index`) come here. One that is based on another is read together with
it, and written as one that is not. What git keeps there for the sake of speed alone is left out: it makes it anew. No
entry is kept in memory, for there may be millions.
"""

import hashlib
import heapq
import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

Held = tuple[int, str]
"""Mode and hash of a file."""
LINK, _GITLINK, FOLDER = 0o120000, 0o160000, 0o040000
_NEEDED = b"sdir"
"""The only extension without which git would read the rest in another way."""
_KNOWN = 256


class Index(NamedTuple):
    raw: bytes
    base: bytes
    """What it is based on; empty: nothing."""
    size: int
    """Of its hashes."""

    @property
    def key(self) -> bytes:
        return hashlib.sha256(hashlib.sha256(self.raw).digest() + self.base).digest()


class _Entry(NamedTuple):
    name: bytes
    stage: int
    flags: int
    more: int
    head: bytes
    """Times, numbers, mode and size."""
    sha: bytes

    @property
    def held(self) -> Held:
        return int.from_bytes(self.head[24:28]), self.sha.hex()


class Staged(NamedTuple):
    entries: tuple[tuple[str, int, Held], ...] = ()
    """Name, stage, and what is held, of those that were asked for."""
    in_undo: bool = False
    """What git keeps to bring conflicts back names one of them."""


_known: dict[tuple[bytes, frozenset[bytes]], Staged] = {}


def staged(index: Index, wanted: frozenset[bytes]) -> Staged:
    """Entries with one of these names, in small letters, and links and whole folders that one of these files lies in.

    Raises `ValueError` and its like where the index cannot be read.
    """
    key = (index.key, wanted)
    with suppress(KeyError):
        return _known[key]
    while len(_known) >= _KNOWN:
        with suppress(KeyError, StopIteration, RuntimeError):
            del _known[next(iter(_known))]
    found = _known[key] = _staged(index, wanted)
    return found


def _staged(index: Index, wanted: frozenset[bytes]) -> Staged:
    folders = {name[:at] for name in wanted for at, sign in enumerate(name) if sign == 0x2F and at}
    found: list[tuple[str, int, Held]] = []
    for entry in merged(index):
        name = entry.name.lower().removesuffix(b"/")
        if name in wanted or name in folders:
            mode = entry.held[0]
            if mode in (LINK, FOLDER) or (mode != _GITLINK and name in wanted):
                found.append((_text(entry.name), entry.stage, entry.held))
    undo = extensions(index.raw, index.size).get(b"REUC", b"")
    names = _undo_names(undo, index.size)
    return Staged(tuple(found), any(name.lower() in wanted for name in names))


Marks = Mapping[bytes, frozenset[bytes]]
"""By folder, in small letters, which of the names that a repository is made of are in it."""
MARKS = (b"head", b"commondir", b"objects", b"refs")
_MARKED = 100_000
"""Folders with one of these names in them, of which each has a few bytes in memory."""
_marks: dict[bytes, Marks] = {}


def marks(index: Index) -> Marks:
    """The folders for which an index holds parts of a repository made of plain files.

    Raises `ValueError` and its like where the index cannot be read.
    """
    key = index.key
    with suppress(KeyError):
        return _marks[key]
    while len(_marks) >= _KNOWN:
        with suppress(KeyError, StopIteration, RuntimeError):
            del _marks[next(iter(_marks))]
    found: dict[bytes, set[bytes]] = {}
    last = b"/"
    for entry in merged(index):
        if len(found) > _MARKED:
            raise ValueError
        folder, _, step = entry.name.lower().removesuffix(b"/").rpartition(b"/")
        if step in MARKS:
            found.setdefault(folder, set()).add(step)
        if folder != last and any(mark in folder for mark in MARKS):
            steps = folder.split(b"/")
            for depth, each in enumerate(steps):
                if each in MARKS:
                    found.setdefault(b"/".join(steps[:depth]), set()).add(each)
        last = folder
    made = _marks[key] = {folder: frozenset(each) for folder, each in found.items()}
    return made


def links(index: Index) -> Iterator[str]:
    """Where other repositories lie. Raises `ValueError` and its like where the index cannot be read."""
    return (_text(each.name) for each in merged(index) if each.held[0] == _GITLINK)


def is_crowded(index: Index, most: int) -> bool:
    """Whether it holds more repositories made of plain files than that; one part of each may be on the disk."""
    try:
        return sum(len(each) > 1 and b"head" in each for each in marks(index).values()) > most
    except ValueError:
        return True


def changed(index: Index, names: Collection[str], puts: Mapping[str, Held]) -> bytes:
    """The index without what it holds under these names, and with what is to be there instead."""
    gone = {_bytes(name) for name in names}
    kept = (each for each in merged(index) if each.name not in gone)
    extended, count, last, written = False, 0, None, bytearray()
    for entry in heapq.merge(kept, _made(puts), key=_place):
        if last is not None and _place(last) != _place(entry):
            written += _written(last)
            count += 1
        last = entry  # a later one of the same name stands for both
        extended |= bool(entry.flags & 0x4000)
    if last is not None:
        written += _written(last)
        count += 1
    written[:0] = struct.pack(">4sII", b"DIRC", 3 if extended else 2, count)
    if _NEEDED in extensions(index.raw, index.size):
        written += _NEEDED + bytes(4)
    return bytes(written) + _digest(written, index.size)


def _place(entry: _Entry) -> tuple[bytes, int]:
    return entry.name, entry.stage


def _made(puts: Mapping[str, Held]) -> Iterator[_Entry]:
    for name in sorted(map(_bytes, puts)):
        mode, sha = puts[_text(name)]
        yield _Entry(name, 0, 0, 0, bytes(24) + mode.to_bytes(4) + bytes(12), bytes.fromhex(sha))


def _written(entry: _Entry) -> bytes:
    flags = entry.flags & ~0xFFF | min(len(entry.name), 0xFFF)
    body = entry.head + entry.sha + struct.pack(">H", flags)
    body += (struct.pack(">H", entry.more) if flags & 0x4000 else b"") + entry.name
    return body + bytes(8 - len(body) % 8)


def _digest(content: bytes | bytearray, size: int) -> bytes:
    return (hashlib.sha256 if size == 32 else hashlib.sha1)(content).digest()


def blob(content: bytes, size: int) -> str:
    """The hash that a file with this content has in an index."""
    return _digest(b"blob %d\0" % len(content) + content, size).hex()


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def merged(index: Index) -> Iterator[_Entry]:
    """All entries, in their order."""
    raw, base, size = index
    link = extensions(raw, size).get(b"link", b"")
    if not any(link[:size]):
        return _entries(raw, size)
    count = int.from_bytes(base[8:12])
    deleted, at = _bits(link, size, count)
    replaced, _ = _bits(link, at, count)
    named = (each for each in _entries(raw, size) if each.name)
    return heapq.merge(_shared(index, deleted, replaced), named, key=_place)


def _shared(index: Index, deleted: set[int], replaced: set[int]) -> Iterator[_Entry]:
    """What is left of the index that this one is based on."""
    unnamed = (each for each in _entries(index.raw, index.size) if not each.name)
    for number, entry in enumerate(_entries(index.base, index.size)):
        is_replaced = number in replaced
        now = next(unnamed, entry)._replace(name=entry.name) if is_replaced else entry
        if number not in deleted:
            yield now


def _bits(body: bytes, at: int, most: int) -> tuple[set[int], int]:
    """The numbers that are set in a compressed table, and where it ends."""
    if at >= len(body):
        return set(), at
    _, count = struct.unpack_from(">II", body, at)
    words = struct.unpack_from(f">{count}Q", body, at + 8)
    found, number, place = set[int](), 0, 0
    while place < count:
        mark, place = words[place], place + 1
        run, literals = mark >> 1 & 0xFFFFFFFF, mark >> 33
        if mark & 1:
            if number + run * 64 > most + 64:
                raise ValueError
            found.update(range(number, number + run * 64))
        number += run * 64
        for word in words[place : place + literals]:
            found.update(number + bit for bit in range(64) if word >> bit & 1)
            number += 64
        place += literals
    return found, at + 8 + count * 8 + 4


def _entries(raw: bytes, size: int) -> Iterator[_Entry]:
    return (entry for entry, _ in _walk(raw, size))


def _walk(raw: bytes, size: int) -> Iterator[tuple[_Entry, int]]:
    """Each entry, and where it ends."""
    if not raw:
        return
    _, version, count = struct.unpack_from(">4sII", raw)
    at, name = 12, b""
    for _ in range(count):
        begin = at
        head, sha = raw[at : at + 40], raw[at + 40 : at + 40 + size]
        (flags,) = struct.unpack_from(">H", raw, at + 40 + size)
        at += 42 + size
        more, kept = 0, b""
        if flags & 0x4000:
            (more,) = struct.unpack_from(">H", raw, at)
            at += 2
        if version == 4:
            dropped, at = varint(raw, at)
            kept = name[: len(name) - dropped]
        end = raw.index(b"\0", at)
        name = kept + raw[at:end]
        at = end + 1 if version == 4 else begin + (end - begin + 8) // 8 * 8
        yield _Entry(name, flags >> 12 & 3, flags, more, head, sha), at


def extensions(raw: bytes, size: int) -> dict[bytes, bytes]:
    """What follows the entries, by the mark of each part."""
    found = dict[bytes, bytes]()
    at = max((end for _, end in _walk(raw, size)), default=12)
    while raw and at + 8 <= len(raw) - size:
        mark, length = struct.unpack_from(">4sI", raw, at)
        found[mark] = raw[at + 8 : at + 8 + length]
        at += 8 + length
    return found


def _undo_names(body: bytes, size: int) -> Iterator[bytes]:
    at = 0
    while at < len(body):
        end = body.index(b"\0", at)
        yield body[at:end]
        at, hashes = end + 1, 0
        for _ in range(3):
            end = body.index(b"\0", at)
            hashes += bool(int(body[at:end], 8))
            at = end + 1
        at += hashes * size


def varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number as version 4 of an index writes it, and where it ends."""
    value = raw[at] & 0x7F
    while raw[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | raw[at] & 0x7F
        if value > len(raw):
            raise ValueError
    return value, at + 1
