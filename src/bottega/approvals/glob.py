"""Wildcards, matched without surprises: `*` is any run of characters, `?` any one, a backslash takes the next as it is.

Every match costs at most the length of the pattern times that of the text, whatever either holds.
"""

import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, TypeVar

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


def matches(glob: Glob, text: str) -> bool:
    return stretched(glob, text, STAR, lambda token, char: token in (ONE, char))


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
