"""What a command would run, as three readers see it: strict, wide and crude.

A reading is clear when the strict reader read the whole text and the wide one saw the very same words: only then may
a pattern allow it. The crude one cuts a text at everything that could end a command, and takes too many pieces for
commands rather than too few: where the wide one fails they are the parts, else they are guesses that raise a doubt.
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
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
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
    """It could be parsed; if not, its parts are guesses too."""
    guesses: tuple[Part, ...] = ()
    """What might be a command besides: a line of a here-document, a piece of a quoted text."""


def read(text: str) -> Reading:
    """What this command would run."""
    strict = None if _is_odd(text) else plain.chain(text)
    if strict is not None:
        same = [tuple(Word(word, True) for word in words) for words in strict]
        clear = tree.parts(text) == same and not _moves(strict)
        return Reading(text, _inner(same), clear)
    crude, found = _crude(text), _wide(text)
    if found is None:
        return Reading(text, _inner(crude), whole=False)
    parts = _inner(found)
    known = set(parts)
    return Reading(
        text, parts, guesses=tuple(each for each in dict.fromkeys(crude) if each not in known)
    )


def _is_odd(text: str) -> bool:
    return (
        len(text) > MOST_READ or bool(plain.odd_character(text)) or len(text.encode()) > MOST_READ
    )


def _wide(text: str) -> list[Part] | None:
    if len(text) > _MOST_WIDE or plain.odd_character(text) or len(text.encode()) > _MOST_WIDE:
        return None
    found = tree.parts(text)
    if found is not None and "\\\n" in text:
        # The grammar takes a line that goes on for the end of a word, which it is not.
        found += tree.parts(_joined(text)) or []
    return found


def _joined(text: str) -> str:
    return text.replace("\\\n", "")


def _moves(commands: Sequence[Sequence[str]]) -> bool:
    """It changes the folder and starts a program by a path that depends on the folder."""
    names = [words[0] for words in commands]
    return "cd" in names and any("/" in name and not name.startswith("/") for name in names)


def _inner(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, and those in texts that some of them would have run: `sh -c '…'`."""
    found = dict.fromkeys(parts)
    level = list(found)
    room = _MOST_WIDE
    for _ in range(_DEEPEST):
        inner: dict[Part, None] = {}
        for text in _texts(level):
            room -= len(text)
            inner.update(dict.fromkeys((room >= 0 and _wide(text)) or _crude(text)))
        level = [part for part in inner if part not in found]
        found.update(dict.fromkeys(level))
    return tuple(found)


def _texts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if part and part[0].plain and runs([word.text for word in part]):
            yield from (
                word.text for word in part[1:] if word.plain and _CUT_OR_BLANK.search(word.text)
            )


def _crude(text: str) -> list[Part]:
    pieces = _CUT.split(_joined(text))
    if "#" in text and "\\\n" in text:  # a comment does not go on in the next line
        pieces += _CUT.split(_joined(_COMMENT.sub("", text)))
    found = (map(_crude_word, piece.split()) for piece in pieces)
    return [part for words in found if (part := tuple(dropwhile(_stands_before, words)))]


def _stands_before(word: Word) -> bool:
    """A keyword or an assignment: the program comes after it."""
    return word.text in plain.RESERVED or "=" in word.text


def _crude_word(raw: str) -> Word:
    return Word(raw.translate(_GONE), not _EXPANDS.search(raw))
