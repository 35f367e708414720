"""Whether the objects of a repository are what their names say: git does not hash what it writes into a work tree.

Only a few names are asked for. Each place where git may find one of them is read, whichever git would take: loose
files, and packs by their tables. Nothing here trusts a length: what cannot be read in the bounds is taken for a lie.
"""

import hashlib
import os
import struct
import zlib
from collections.abc import Collection, Iterator
from typing import NamedTuple, Protocol

from bottega.workspaces.confine import Root
from bottega.workspaces.git.files import glance, names, open_readable

_LARGEST = 256 << 20
"""Bytes of one object."""
_SMALL = 64 << 20
_SWELLS = 200
"""How many times larger than its file a loose object may be, unless it is small: a hole is made from nothing."""
_WORK = 1 << 30
"""Bytes that are made of one object, over all the others that it is told by."""
_PIECE = 1 << 16
_TYPES = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_BY_OFFSET, _BY_NAME = 6, 7
_TABLE = b"\xfftOc"
_MANY = "multi-pack-index"
_ODD = (ValueError, IndexError, OSError, OverflowError, struct.error, zlib.error)


class Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class Lie(NamedTuple):
    path: str
    """Of the file, relative to the workspace, that gives something else."""
    name: str
    """Of the object."""
    is_loose: bool


def lies(root: Root, folder: str, wanted: Collection[str]) -> Iterator[Lie]:
    """What is in a folder of objects under one of these names and has another content."""
    for name in wanted:
        path = f"{folder}/{name[:2]}/{name[2:]}"
        opened = open_readable(root, path)
        if opened is not None:
            try:
                if not is_loose(opened, name):
                    yield Lie(path, name, is_loose=True)
            finally:
                os.close(opened)
    places = dict[tuple[str, str], set[int]]()
    odd: dict[str, str] = {}
    for table in names(root, f"{folder}/pack", is_table) or ():
        if glance(root, f"{folder}/pack/{table[:-4]}.pack") is not None:
            odd |= _of_pack(root, f"{folder}/pack/{table}", wanted, places)
    yield from (Lie(path, name, is_loose=False) for path, name in odd.items())
    path = f"{folder}/pack/{_MANY}"
    if glance(root, path) is not None and (odd or not _agrees(root, path, wanted, places)):
        yield Lie(path, min(wanted), is_loose=False)
    layers = names(root, f"{folder}/pack/{_MANY}.d") or ()
    for layer in layers:  # which count the packs of others in: they go, and only make git quicker
        path = f"{folder}/pack/{_MANY}.d/{layer}"
        if layer.endswith(".midx") and (odd or not _agrees(root, path, wanted, {})):
            yield Lie(path, min(wanted), is_loose=False)


def is_table(name: str) -> bool:
    """Whether a file beside packs is the table of one of them."""
    return name.endswith(".idx")


def loose(content: bytes) -> bytes:
    """A file's content as git keeps it by itself."""
    return zlib.compress(b"blob %d\0" % len(content) + content)


def _hash(name: str) -> Digest:
    return hashlib.sha256() if len(name) == 64 else hashlib.sha1()  # noqa: S324 - git's own names


def is_loose(opened: int, name: str) -> bool:
    """Whether a loose file unpacks to what its name says, and ends there."""
    found, unpack, size, at = _hash(name), zlib.decompressobj(), 0, 0
    most = max(_SMALL, _SWELLS * os.fstat(opened).st_size)
    try:
        while not unpack.eof:
            piece = unpack.unconsumed_tail
            if not piece:
                piece = os.pread(opened, _PIECE, at)
                at += len(piece)
                if not piece:
                    return False
            made = unpack.decompress(piece, _PIECE)
            found.update(made)
            size += len(made)
            if size > most:
                return False
    except _ODD:
        return False
    return found.hexdigest() == name and not unpack.unused_data


def _of_pack(
    root: Root, path: str, wanted: Collection[str], places: dict[tuple[str, str], set[int]]
) -> dict[str, str]:
    """The path of a pack's table, with the name that it lies about; `places` gets where it is right."""
    table = open_readable(root, path)
    if table is None:
        return {}
    try:
        for name in wanted:
            try:
                offsets = _offsets(table, bytes.fromhex(name))
                if offsets and not _is_packed(root, path, table, name, offsets):
                    return {path: name}
            except _ODD:
                return {path: name}
            places[os.path.basename(path), name] = offsets
    finally:
        os.close(table)
    return {}


def _is_packed(root: Root, path: str, table: int, name: str, offsets: set[int]) -> bool:
    pack = open_readable(root, f"{path[:-4]}.pack")
    if pack is None:
        return True  # git finds nothing there
    try:
        return all(_named(pack, table, offset, len(name) // 2) == name for offset in offsets)
    finally:
        os.close(pack)


def _exactly(opened: int, size: int, at: int) -> bytes:
    read = os.pread(opened, size, at)
    if len(read) != size:
        raise ValueError
    return read


def _within(opened: int, fan: int, listed: int, step: int, skip: int, name: bytes) -> list[int]:
    """The numbers of all entries of a name in a sorted list, where the table of first bytes has git look."""
    first = name[0]
    bounds = _exactly(opened, 8, fan + 4 * (first - 1)) if first else b""
    low, high = struct.unpack(">II", bounds or bytes(4) + _exactly(opened, 4, fan))
    if low > high:
        raise ValueError
    found: list[int] = []
    for begin in range(low, high, _PIECE):
        count = min(_PIECE, high - begin)
        block = _exactly(opened, count * step, listed + begin * step)
        at = block.find(name)
        while at >= 0:
            if at % step == skip:
                found.append(begin + at // step)
            at = block.find(name, at + 1)
    return found


def _offsets(table: int, name: bytes) -> set[int]:
    """Where the pack of a table has an object."""
    size = len(name)
    mark = _exactly(table, 8, 0)
    if mark[:4] != _TABLE:
        numbers = _within(table, 0, 1024, 4 + size, 4, name)
        return {
            struct.unpack(">I", _exactly(table, 4, 1024 + number * (4 + size)))[0]
            for number in numbers
        }
    if mark[4:] != b"\0\0\0\2":
        raise ValueError
    numbers = _within(table, 8, 1032, size, 0, name)
    (total,) = struct.unpack(">I", _exactly(table, 4, 8 + 1020))
    near = 1032 + total * (size + 4)
    return {_offset(table, near + number * 4, near + total * 4) for number in numbers}


def _offset(opened: int, at: int, far: int) -> int:
    (offset,) = struct.unpack(">I", _exactly(opened, 4, at))
    if offset & 0x80000000:
        (offset,) = struct.unpack(">Q", _exactly(opened, 8, far + (offset & 0x7FFFFFFF) * 8))
    return int(offset)


def is_in(table: int, name: str) -> bool:
    """Whether the table of a pack, which is open, has an object."""
    try:
        return bool(_offsets(table, bytes.fromhex(name)))
    except _ODD:
        return False


def content_in(table: int, pack: int, name: str) -> tuple[bytes, bytes] | None:
    """What an object of a pack is, and what it holds; None: it is not there, or cannot be read."""
    try:
        for offset in _offsets(table, bytes.fromhex(name)):
            return _content(pack, table, offset, len(name) // 2)
    except _ODD:
        pass
    return None


def _named(pack: int, table: int, offset: int, size: int) -> str:
    """The name that what is in a pack should have."""
    kind, content = _content(pack, table, offset, size)
    found = _hash("0" * size * 2)
    found.update(b"%s %d\0" % (kind, len(content)))
    found.update(content)
    return found.hexdigest()


def _content(pack: int, table: int, offset: int, size: int) -> tuple[bytes, bytes]:
    """What it is, and what it holds."""
    changes: list[bytes] = []
    work, kind = 0, 0
    while True:
        begin = offset
        kind, length, at = _head(pack, offset)
        work += length
        if kind == _BY_OFFSET:
            back, at = _back(pack, at)
            offset = begin - back
        elif kind == _BY_NAME:
            bases = _offsets(table, _exactly(pack, size, at))
            at += size
            (offset,) = bases  # a `ValueError` for any other number of them
        elif kind not in _TYPES:
            raise ValueError
        content = _unpacked(pack, at, length)
        if kind in _TYPES:
            break
        changes.append(content)
        if work > _WORK or offset <= 0:
            raise ValueError
    for each in reversed(changes):
        content = _applied(content, each, _WORK - work)
        work += len(content)
    return _TYPES[kind], content


def _head(pack: int, at: int) -> tuple[int, int, int]:
    """Kind and size of what begins there, and where its content does."""
    raw = os.pread(pack, 16, at)
    kind, length, shift, place = raw[0] >> 4 & 7, raw[0] & 15, 4, 0
    while raw[place] & 0x80:
        place += 1
        length |= (raw[place] & 0x7F) << shift
        shift += 7
    return kind, length, at + place + 1


def _back(pack: int, at: int) -> tuple[int, int]:
    raw, place = os.pread(pack, 16, at), 0
    value = raw[0] & 0x7F
    while raw[place] & 0x80:
        place += 1
        value = (value + 1) << 7 | raw[place] & 0x7F
    if not value:
        raise ValueError
    return value, at + place + 1


def _unpacked(pack: int, at: int, length: int) -> bytes:
    if length > _LARGEST:
        raise ValueError
    unpack, made = zlib.decompressobj(), bytearray()
    while not unpack.eof:
        piece = unpack.unconsumed_tail
        if not piece:
            piece = os.pread(pack, _PIECE, at)
            at += len(piece)
            if not piece:
                raise ValueError
        made += unpack.decompress(piece, _PIECE)
        if len(made) > length:
            raise ValueError
    if len(made) != length:
        raise ValueError
    return bytes(made)


def _applied(base: bytes, changes: bytes, most: int) -> bytes:
    """What the changes make of another content: pieces of it, and new ones."""
    size, at = _number(changes, 0)
    length, at = _number(changes, at)
    if size != len(base) or length > min(most, _LARGEST):
        raise ValueError
    made = bytearray()
    while at < len(changes):
        order = changes[at]
        at += 1
        if not order & 0x80:
            if not order or at + order > len(changes):
                raise ValueError
            made += changes[at : at + order]
            at += order
        else:
            values = [0] * 7
            for bit in range(7):
                if order >> bit & 1:
                    values[bit] = changes[at]
                    at += 1
            begin = int.from_bytes(bytes(values[:4]), "little")
            count = int.from_bytes(bytes(values[4:]), "little") or 0x10000
            if begin + count > size:
                raise ValueError
            made += base[begin : begin + count]
        if len(made) > length:
            raise ValueError
    if len(made) != length:
        raise ValueError
    return bytes(made)


def _number(raw: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        value |= (raw[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not raw[at - 1] & 0x80:
            return value, at


def _agrees(
    root: Root, path: str, wanted: Collection[str], places: dict[tuple[str, str], set[int]]
) -> bool:
    """Whether a table of many packs says of these names what the tables of the packs say."""
    opened = open_readable(root, path)
    if opened is None:
        return True
    try:
        for name in wanted:
            for pack, offset in _in_many(opened, bytes.fromhex(name)):
                if offset not in places.get((f"{os.path.splitext(pack)[0]}.idx", name), ()):
                    return False
    except _ODD:
        return False
    finally:
        os.close(opened)
    return True


def _in_many(opened: int, name: bytes) -> Iterator[tuple[str, int]]:
    """Each pack and offset of an object in a table of many packs."""
    mark, _, _, count, _, packs = struct.unpack(">4sBBBBI", _exactly(opened, 12, 0))
    if mark != b"MIDX":
        raise ValueError
    raw = _exactly(opened, (count + 1) * 12, 12)
    chunks = list(struct.iter_unpack(">4sQ", raw))
    begins = dict[bytes, int](chunks)
    if len(begins) != len(chunks):
        raise ValueError
    numbers = _within(opened, begins[b"OIDF"], begins[b"OIDL"], len(name), 0, name)
    if not numbers:
        return
    ends = {key: chunks[place + 1][1] for place, (key, _) in enumerate(chunks[:-1])}
    length = ends[b"PNAM"] - begins[b"PNAM"]
    if not 0 <= length < _LARGEST >> 4:
        raise ValueError
    called = _exactly(opened, length, begins[b"PNAM"]).split(b"\0")[:packs]
    for number in numbers:
        at = begins[b"OOFF"] + number * 8
        (pack,) = struct.unpack(">I", _exactly(opened, 4, at))
        far = begins.get(b"LOFF", 1 << 62)
        yield os.fsdecode(called[pack]), _offset(opened, at + 4, far)
