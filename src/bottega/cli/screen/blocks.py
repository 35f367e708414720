"""Markdown that is still being written, cut into blocks as soon as they can no longer change.

Whoever draws it draws each finished block once and only the unfinished one again, so a long answer costs no more per
word than a short one. A code block or list too long to wait for comes in parts. Nothing is lost: the sources of all
blocks, joined, are the text.
"""

import re

import msgspec

LONG = 48
"""Lines after which a code block or a list is given out in parts."""

_FENCE = re.compile(r"( {0,3})(`{3,}+|~{3,}+)([^`]*)$")
_ITEM = re.compile(r"( {0,3})(?:[-*+]|(\d{1,9})[.)])(?:[ \t]|$)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


class Block(msgspec.Struct, frozen=True):
    source: str
    """Exactly what was written."""
    markdown: str
    """What to draw: the source, made whole where it is a part of a longer block."""
    joins: bool = False
    """It goes on where the block before it ended."""


class Splitter:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._partial: list[str] = []
        self._fence = ""
        """What closes the code block that is open."""
        self._opening = ""
        """The line that opened it, if it stands alone and not in a list."""
        self._in_list = False
        self._blank = False
        """The last line of the list was empty: the next one says whether the list goes on."""
        self._joins = False

    def feed(self, piece: str) -> list[Block]:
        """Take more text; return the blocks that are finished now."""
        if "\n" not in piece:
            self._partial.append(piece)
            return []
        first, *rest = piece.split("\n")
        self._partial.append(first)
        finished: list[Block] = []
        for line in ["".join(self._partial), *rest[:-1]]:
            self._take(line, finished)
        self._partial = [rest[-1]]
        return finished

    @property
    def tail(self) -> Block:
        """The block that is not finished."""
        source = self._source() + "".join(self._partial)
        return Block(source, self._whole(source), self._joins)

    def end(self) -> Block:
        """Nothing more comes: the last block. It may be empty."""
        last = self.tail
        self.__init__()
        return last

    def _take(self, line: str, finished: list[Block]) -> None:
        if self._fence:
            self._in_code(line, finished)
        elif not line.strip():
            self._empty(line, finished)
        elif self._in_list and self._belongs(line):
            self._item(line, finished)
        else:
            self._start(line, finished)

    def _in_code(self, line: str, finished: list[Block]) -> None:
        self._lines.append(line)
        mark = line.strip()
        if len(line) - len(line.lstrip()) <= 3 + 8 * self._in_list and _closes(mark, self._fence):
            self._fence = ""
            if not self._in_list:
                self._finish(finished)
        elif self._opening and len(self._lines) >= LONG:
            opening, fence = self._opening, self._fence
            self._finish(finished)
            self._opening, self._fence, self._joins = opening, fence, True

    def _empty(self, line: str, finished: list[Block]) -> None:
        self._lines.append(line)
        if self._in_list:
            self._blank = True
        else:
            self._finish(finished)

    def _belongs(self, line: str) -> bool:
        """Whether a line goes on with the list: it is indented, an item, or a lazy continuation."""
        return line[0] in " \t" or bool(_ITEM.match(line)) or not (self._blank or _starts(line))

    def _item(self, line: str, finished: list[Block]) -> None:
        self._blank = False
        if len(self._lines) >= LONG and (found := _ITEM.match(line)) and not found[1]:
            self._finish(finished)
            self._in_list, self._joins = True, True
        self._lines.append(line)
        if found := _FENCE.match(line.lstrip()):
            self._fence = found[2]

    def _start(self, line: str, finished: list[Block]) -> None:
        heading, fence, item = _HEADING.match(line), _FENCE.match(line), _interrupts(line)
        if self._lines and (self._in_list or heading or fence or item):
            self._finish(finished)
        began = not self._lines
        self._lines.append(line)
        if fence:
            self._fence, self._opening = fence[2], line
        elif item or (began and _ITEM.match(line)):
            self._in_list = True
        elif heading:
            self._finish(finished)

    def _finish(self, finished: list[Block]) -> None:
        source = self._source()
        finished.append(Block(source, self._whole(source), self._joins))
        self._lines = []
        self._fence = self._opening = ""
        self._in_list = self._blank = self._joins = False

    def _source(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    def _whole(self, source: str) -> str:
        return f"{self._opening}\n{source}" if self._opening and self._joins else source


def _starts(line: str) -> bool:
    return bool(_HEADING.match(line) or _FENCE.match(line))


def _interrupts(line: str) -> bool:
    """Whether this line begins a list even in the middle of a paragraph."""
    found = _ITEM.match(line)
    return bool(found and found[2] in (None, "1") and line[found.end() :].strip())


def _closes(line: str, fence: str) -> bool:
    return len(line) >= len(fence) and not line.strip(fence[0])
