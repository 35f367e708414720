"""Wildcards, matched without surprises: `*` is any run of characters, `?` any one, a backslash takes the next as it is.

A pattern of characters and stars costs about the length of the text, and one with `?` at most that of the pattern times
that of the text, whatever either holds.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Final, NamedTuple, TypeVar

Glob = tuple[str, ...]
"""One character each, or one of the two wildcards."""

STAR: Final = "any run"
ONE: Final = "any one"

_Pattern = TypeVar("_Pattern")
_Item = TypeVar("_Item")


def compiled(text: str) -> Glob:
    """The pattern's tokens; raises ValueError for one that could be meant in two ways."""
    found: list[str] = []
    chars = iter(text)
    for char in chars:
        if char == "\\":
            escaped = next(chars, "")
            if not escaped:
                raise ValueError("it ends in a backslash")
            found.append(escaped)
        elif char == "[":
            raise ValueError("it has a bracket, for which \\[ is written")
        elif char in "*?":
            found.append(STAR if char == "*" else ONE)
        else:
            found.append(char)
    return tuple(found)


def escaped(text: str) -> str:
    """The pattern that matches this text and no other."""
    return "".join("\\" + char if char in "*?[\\" else char for char in text)


def is_literal(glob: Glob) -> bool:
    return STAR not in glob and ONE not in glob


def start(glob: Glob) -> str:
    """The characters before the first wildcard."""
    return "".join(takewhile(lambda token: token not in (STAR, ONE), glob))


def matches(glob: Glob, text: str) -> bool:
    """Piece by piece between the stars, each at the first place where it stands."""
    first, *others = _pieces(glob)
    if not others:
        return first.length == len(text) and first.stands_at(text, 0)
    last = others.pop()
    end = len(text) - last.length
    if end < first.length or not (first.stands_at(text, 0) and last.stands_at(text, end)):
        return False
    at = first.length
    for piece in others:
        found = piece.find(text, at, end)
        if found < 0:
            return False
        at = found + piece.length
    return True


class _Piece(NamedTuple):
    """What stands between two stars: characters, and perhaps some that may be any."""

    text: str
    wild: re.Pattern[str] | None

    @property
    def length(self) -> int:
        return len(self.text)

    def stands_at(self, text: str, at: int) -> bool:
        if self.wild is None:
            return text.startswith(self.text, at)
        return self.wild.match(text, at) is not None

    def find(self, text: str, start: int, end: int) -> int:
        """The first place from `start` on at which it ends before `end`; -1: there is none."""
        if self.wild is None:
            return text.find(self.text, start, end)
        found = self.wild.search(text, start, end)
        return found.start() if found else -1


@lru_cache(maxsize=1024)
def _pieces(glob: Glob) -> tuple[_Piece, ...]:
    tokens: list[list[str]] = [[]]
    for token in glob:
        if token == STAR:
            tokens.append([])
        else:
            tokens[-1].append(token)
    return tuple(map(_piece, tokens))


def _piece(tokens: Sequence[str]) -> _Piece:
    text = "".join("?" if token == ONE else token for token in tokens)
    if ONE not in tokens:
        return _Piece(text, None)
    wild = "".join("." if token == ONE else re.escape(token) for token in tokens)
    return _Piece(text, re.compile(wild, re.DOTALL))


def stretched(
    pattern: Sequence[_Pattern],
    items: Sequence[_Item],
    star: _Pattern,
    meets: Callable[[_Pattern, _Item], bool],
) -> bool:
    """Whether the pattern meets all items in their order, `star` standing for any number of them."""
    at = seen = 0
    last_star = resume = -1
    while seen < len(items):
        if at < len(pattern) and pattern[at] == star:
            last_star, resume = at, seen
            at += 1
        elif at < len(pattern) and meets(pattern[at], items[seen]):
            at += 1
            seen += 1
        elif last_star >= 0:
            resume += 1
            at, seen = last_star + 1, resume
        else:
            return False
    return all(each == star for each in pattern[at:])


def folded(text: str) -> str:
    """The text as a file system may take it that tells neither case nor spelling apart, nor sees what is unseen."""
    if text.isascii():
        return text.lower()
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", seen).casefold())


def folded_glob(glob: Glob) -> Glob:
    """The same pattern over folded texts."""
    found: list[str] = []
    for wild, group in groupby(glob, key=lambda token: len(token) > 1):
        tokens = list(group)
        found += tokens if wild else folded("".join(tokens))
    return tuple(found)
