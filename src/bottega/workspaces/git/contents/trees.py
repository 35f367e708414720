"""The table of trees in an index: what `git commit` takes for the folders of its entries, without looking at them.

It is there for the sake of speed alone, so an index in which it says anything else than the entries do goes without.
"""

import hashlib
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from bottega.workspaces.git.contents.staged import FOLDER, Index, extensions, merged

_KNOWN = 256
_LATER = 0x2000
"""A flag: what is to be added later is in no tree."""
_known: dict[bytes, bool] = {}


class _Tree(NamedTuple):
    name: bytes
    """The whole path, empty: that of all."""
    content: bytearray
    numbers: list[int]
    """How many entries it has, and how many of them are in no tree."""


class _Node(NamedTuple):
    path: bytes
    entries: int
    """-1: it is to be made anew."""
    name: bytes


def agrees(index: Index) -> bool:
    """Whether the table says of each folder what its entries say."""
    key = index.key
    with suppress(KeyError):
        return _known[key]
    while len(_known) >= _KNOWN:
        with suppress(KeyError, StopIteration, RuntimeError):
            del _known[next(iter(_known))]
    try:
        found = _known[key] = _agrees(index)
    except (ValueError, IndexError, struct.error):
        found = _known[key] = False
    return found


def _agrees(index: Index) -> bool:
    body = extensions(index.raw, index.size).get(b"TREE", b"")
    said = {node.path: node for node in _nodes(body, index.size) if node.entries >= 0}
    if not said:
        return True
    for path, count, name in _computed(index):
        node = said.pop(path, None)
        if node is not None and (node.entries, node.name) != (count, name):
            return False
    return not said  # nor is there a folder without entries


def _nodes(body: bytes, size: int) -> Iterator[_Node]:
    """What the table says; each folder is followed by those in it."""
    at, above = 0, list[tuple[bytes, int]]()
    seen = set[bytes]()
    while at < len(body):
        end = body.index(b"\0", at)
        line = body.index(b"\n", end)
        count, within = map(int, body[end + 1 : line].split(b" "))
        while above and not above[-1][1]:
            above.pop()
        prefix = b""
        if above:
            prefix, left = above[-1]
            above[-1] = prefix, left - 1
        step = body[at:end]
        path = prefix + step
        if path in seen or bool(step) != bool(seen) or b"/" in step or within < 0 or count < -1:
            raise ValueError
        seen.add(path)
        at = line + 1 + (size if count >= 0 else 0)
        yield _Node(path, count, body[line + 1 : at])
        above.append((path + b"/" if path else b"", within))
    if at != len(body) or any(left for _, left in above):
        raise ValueError


def _computed(index: Index) -> Iterator[tuple[bytes, int, bytes | None]]:
    """Each folder with the number of its entries and the name of its tree; None: it has none now."""
    hashed = hashlib.sha256 if index.size == 32 else hashlib.sha1
    way = [_Tree(b"", bytearray(), [0, 0])]

    def left() -> tuple[bytes, int, bytes | None]:
        tree = way.pop()
        count, odd = tree.numbers
        name = hashed(b"tree %d\0" % len(tree.content) + tree.content).digest()
        if way:
            way[-1].content.extend(b"40000 %s\0" % tree.name.rpartition(b"/")[2] + name)
            way[-1].numbers[0] += count
            way[-1].numbers[1] += odd
        return tree.name, count, None if odd else name

    for entry in merged(index):
        folder, _, last = entry.name.removesuffix(b"/").rpartition(b"/")
        while way[-1].name != folder and not folder.startswith(
            way[-1].name + b"/" * (len(way) > 1)
        ):
            yield left()
        while way[-1].name != folder:
            begin = len(way[-1].name) + (len(way) > 1)
            end = folder.find(b"/", begin)
            way.append(_Tree(folder if end < 0 else folder[:end], bytearray(), [0, 0]))
        mode = int.from_bytes(entry.head[24:28])
        way[-1].content.extend(b"%o %s\0" % (mode, last) + entry.sha)
        way[-1].numbers[0] += 1
        way[-1].numbers[1] += bool(entry.stage or entry.more & _LATER)
        if mode == FOLDER:
            yield entry.name.removesuffix(b"/"), 1, entry.sha
    while way:
        yield left()
