"""An output that was kept, read in parts: its lines by number, however large it is and while it still grows.

Lines that the cap has dropped keep their numbers; those at the edges of the gap are only pieces of lines.
"""

import os
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import msgspec

_CHUNK = 1024 * 1024
LONGEST = 64 * 1024
"""Bytes of a line in one fragment."""


class Piece(msgspec.Struct, frozen=True):
    """Some of the bytes, in a row."""

    start: int
    lines: int
    """Lines that ended before it."""
    content: Path | bytes

    def chunks(self, skip: int = 0) -> Iterator[bytes]:
        """All but the first `skip` bytes."""
        if isinstance(self.content, bytes):
            yield self.content[skip:]
            return
        try:
            with self.content.open("rb", buffering=0) as file:
                if skip >= os.fstat(file.fileno()).st_size:
                    return  # some file systems go to no such place
                file.seek(skip)
                while chunk := file.read(_CHUNK):
                    yield chunk
        except FileNotFoundError:  # dropped meanwhile
            return


class Fragment(msgspec.Struct, frozen=True):
    """A line, or `LONGEST` bytes of a longer one."""

    number: int
    content: bytes
    continues: bool
    """It is not the first of its line."""
    gap: int
    """Bytes before it that were not kept."""


class Line(msgspec.Struct, frozen=True):
    number: int
    content: bytes
    left: int
    """Bytes of it that are not in `content`."""
    gap: int
    """Bytes before it that were not kept."""


class Source:
    """Every method may wait for the disk."""

    def __init__(self, content: Path | bytes) -> None:
        """A folder of a `Spool`, a file, or all the bytes."""
        self._content = content

    def pieces(self) -> list[Piece]:
        if isinstance(self._content, bytes):
            return [Piece(0, 0, self._content)] if self._content else []
        try:
            names = sorted(each.name for each in self._content.iterdir())
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            return [Piece(0, 0, self._content)] if self._content.is_file() else []
        return [
            Piece(int(name[:15]), int(name[16:]), self._content / name)
            for name in names
            if len(name) == 28 and name.replace(".", "", 1).isdigit()
        ]

    def total(self) -> int:
        """How many lines have begun, dropped ones too."""
        pieces = self.pieces()
        if not pieces:
            return 0
        count, last = pieces[-1].lines, b""
        for last in pieces[-1].chunks():
            count += last.count(b"\n")
        return count if last.endswith(b"\n") else count + 1

    def lines(self, first: int = 1) -> Iterator[Line]:
        """The lines from that number on, each up to `LONGEST` bytes."""
        begun: Fragment | None = None
        left = 0
        for each in self.fragments(first):
            if each.continues:
                left += len(each.content)
                continue
            if begun:
                yield Line(begun.number, begun.content, left, begun.gap)
            begun, left = each, 0
        if begun:
            yield Line(begun.number, begun.content, left, begun.gap)

    def fragments(self, first: int = 1) -> Iterator[Fragment]:
        """All bytes of the lines from that number on."""
        pieces = self.pieces()
        # A piece may begin within a line; the one before it has the line's first part.
        begin = max((n for n, each in enumerate(pieces) if each.lines < first - 1), default=0)
        end = pieces[begin].start if begin else 0
        for fragment in _fragments(pieces[begin:], end):
            if fragment.number >= first:
                yield fragment

    def read(self, start: int) -> Iterator[tuple[int, bytes]]:
        """The bytes from an offset on, each chunk with its own: a gap shows as a jump."""
        pieces = self.pieces()
        for piece, after in zip_longest(pieces, pieces[1:]):
            if after and after.start <= start:
                continue
            skip = max(0, start - piece.start)
            at = piece.start + skip
            for chunk in piece.chunks(skip):
                if chunk:
                    yield at, chunk
                at += len(chunk)


def _fragments(pieces: list[Piece], end: int) -> Iterator[Fragment]:
    """The lines of pieces in order, where `end` is the byte up to which all before is known."""
    cut = _Cut(1, 0)
    for piece in pieces:
        if piece.start != end or piece is pieces[0]:
            yield from cut.end()
            cut = _Cut(piece.lines + 1, piece.start - end)
        end = piece.start
        for chunk in piece.chunks():
            end += len(chunk)
            yield from cut.feed(chunk)
    yield from cut.end()


class _Cut:
    """Cuts chunks into lines, and long lines into fragments."""

    def __init__(self, number: int, gap: int) -> None:
        self._number = number
        self._gap = gap
        self._begun = bytearray()
        self._continues = False

    def feed(self, chunk: bytes) -> Iterator[Fragment]:
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield from self._add(part)
            yield self._take(len(self._begun))
            self._number, self._continues = self._number + 1, False
        yield from self._add(rest)

    def end(self) -> Iterator[Fragment]:
        if self._begun:
            yield self._take(len(self._begun))

    def _add(self, part: bytes) -> Iterator[Fragment]:
        self._begun += part
        while len(self._begun) > LONGEST:
            yield self._take(LONGEST)
            self._continues = True

    def _take(self, size: int) -> Fragment:
        fragment = Fragment(self._number, bytes(self._begun[:size]), self._continues, self._gap)
        del self._begun[:size]
        self._gap = 0
        return fragment
