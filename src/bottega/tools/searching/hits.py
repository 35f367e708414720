"""What ripgrep found, out of its output as it comes.

Lines are `path NUL number : text`, with a `-` for lines beside a match; counts are `path NUL number`. A path may hold
anything but NUL. Now and then a sentence on a binary file stands between them.
"""

import os
import re

import msgspec

_NOTE = re.compile(
    rb": (?:WARNING: stopped searching binary file after match|binary file matches)"
    rb' \(found "\\0" byte around offset \d+\)\n'
)
_COUNT = re.compile(rb"([^\0]*)\0(\d+)\n")
_NUMBER = re.compile(rb"(\d+)([:-])")


class Hit(msgspec.Struct, frozen=True):
    path: str
    line: int
    text: str
    is_match: bool


class Hits:
    """Takes output in any pieces and gives the hits that are whole."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, piece: bytes) -> list[Hit]:
        self._rest += piece
        found: list[Hit] = []
        at = 0
        while (hit := self._one(at)) is not None:
            made, at = hit
            found.append(made)
        self._rest = self._rest[at:]
        return found

    def _one(self, at: int) -> tuple[Hit, int] | None:
        rest = self._rest
        nul = rest.find(b"\0", at)
        end = rest.find(b"\n", nul + 1) if nul >= 0 else -1
        if end < 0:
            return None
        number = _NUMBER.match(rest, nul + 1, end)
        assert number is not None, rest[at:end]
        text = rest[number.end() : end].decode(errors="replace").rstrip("\r")
        return Hit(inside(rest[at:nul]), int(number[1]), text, number[2] == b":"), end + 1


class Counts:
    """Takes output in any pieces and gives the paths and counts that are whole."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, piece: bytes) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        rest, at = self._rest + piece, 0
        while (one := _COUNT.match(rest, at)) is not None:
            found.append((inside(one[1]), int(one[2])))
            at = one.end()
        self._rest = rest[at:]
        return found


class Paths:
    """Takes output in any pieces and gives the paths that are whole."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, piece: bytes) -> list[str]:
        *whole, self._rest = (self._rest + piece).split(b"\0")
        return [inside(each) for each in whole]


def inside(path: bytes) -> str:
    """A path that ripgrep printed, from the workspace."""
    start = 0
    for note in _NOTE.finditer(path):
        start = note.end()
    return os.fsdecode(path[start:]).removeprefix("./")
