"""What a command would run, as three readers see it: strict, wide and crude.

A reading is clear when the strict reader read the whole text and the wide one saw the very same words: only then may
a pattern allow it. Where neither can read a text, the crude one cuts it at everything that could end a command, and
takes too many pieces for commands rather than too few: more parts never soften a verdict.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile

import msgspec

from bottega.approvals.shell import plain, tree
from bottega.approvals.shell.runs import runs
from bottega.approvals.shell.tree import Part, Word

MOST_READ = 100_000
"""Bytes of a command that is read at all; a longer one is nothing that a person could judge either."""

_MOST_WIDE = 4_000
"""Bytes of what the strict reader refused that the wide one is given: on errors its cost grows by the square."""

_DEEPEST = 4
_CUT = re.compile(r"[;&|()`{}<>\n\r\0!]|\$\(")
_GONE = str.maketrans("", "", "'\"\\")
_CUT_OR_BLANK = re.compile(r"\s|" + _CUT.pattern)
_EXPANDS = re.compile(r"[$*?\[\]~=]")


class Reading(msgspec.Struct, frozen=True, gc=False):
    text: str
    parts: tuple[Part, ...]
    """Every simple command, none twice."""
    clear: bool = False
    """The parts are all that runs, and their words are exactly what is run."""
    whole: bool = True
    """It could be parsed; if not, its parts are guesses."""


def read(text: str) -> Reading:
    """What this command would run."""
    strict = None if _is_odd(text) else plain.chain(text)
    if strict is not None:
        same = [tuple(Word(word, True) for word in words) for words in strict]
        clear = tree.parts(text) == same and not _moves(strict)
        return Reading(text, _inner(same), clear)
    found = _wide(text)
    return Reading(text, _inner(_crude(text) if found is None else found), False, found is not None)


def _is_odd(text: str) -> bool:
    return (
        len(text) > MOST_READ or bool(plain.odd_character(text)) or len(text.encode()) > MOST_READ
    )


def _wide(text: str) -> list[Part] | None:
    if len(text) > _MOST_WIDE or plain.odd_character(text) or len(text.encode()) > _MOST_WIDE:
        return None
    return tree.parts(text)


def _moves(commands: Sequence[Sequence[str]]) -> bool:
    """It changes the folder and starts a program by a path that depends on the folder."""
    names = [words[0] for words in commands]
    return "cd" in names and any("/" in name and not name.startswith("/") for name in names)


def _inner(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, and those in texts that some of them would have run: `sh -c '…'`."""
    found = dict.fromkeys(parts)
    level = list(found)
    for _ in range(_DEEPEST):
        level = [part for text in _texts(level) for part in _wide(text) or _crude(text)]
        level = [part for part in dict.fromkeys(level) if part not in found]
        found.update(dict.fromkeys(level))
    return tuple(found)


def _texts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if part and part[0].plain and runs([word.text for word in part]):
            yield from (
                word.text for word in part[1:] if word.plain and _CUT_OR_BLANK.search(word.text)
            )


def _crude(text: str) -> list[Part]:
    found = (map(_crude_word, piece.split()) for piece in _CUT.split(text))
    return [part for words in found if (part := tuple(dropwhile(_stands_before, words)))]


def _stands_before(word: Word) -> bool:
    """A keyword or an assignment: the program comes after it."""
    return word.text in plain.RESERVED or "=" in word.text


def _crude_word(raw: str) -> Word:
    return Word(raw.translate(_GONE), not _EXPANDS.search(raw))
