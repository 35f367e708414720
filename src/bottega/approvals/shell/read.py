"""What a command would run, as three readers see it: strict, wide and crude.

A reading is clear when the strict reader read the whole text and the wide one saw the very same words: only then may
a pattern allow it. The crude one cuts a text at everything that could end a command, and takes too many pieces for
commands rather than too few: where the wide one fails they are the parts, else they are guesses that raise a doubt.

What has more parts or words than anybody would write by hand is crowded: none of them is told, and it is never clear.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile

import msgspec

from bottega.approvals.shell import plain, tree
from bottega.approvals.shell.plain import Simple
from bottega.approvals.shell.runs import runs
from bottega.approvals.shell.tree import Part, Word

MOST_READ = 20_000
"""Characters of a command that may be clear; a longer one is nothing that a person could judge either."""
MOST_CLEAR = 60
"""Simple commands of a clear one: each is compared with every rule and every grant."""
MOST_PARTS = 300
"""Simple commands that are told apart."""
MOST_WORDS = 2_000
"""Words of all of them."""

_MOST_WIDE = 2_000
"""Characters that the wide reader is given at once: on errors its cost grows by the square, or worse."""
_SLICE = 250

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
    moves: str = ""
    """The folder that it changes to before all else: `cd web && …`."""
    whole: bool = True
    """It could be parsed; if not, its parts are guesses too."""
    guesses: tuple[Part, ...] = ()
    """What might be a command besides: a line of a here-document, a piece of a quoted text."""
    crowd: str = ""
    """Of one with too many parts to be told apart: all its letters, as loosely as programs are named."""


class _Crowded(Exception):
    """There are too many parts, or words."""


class _Room:
    """How many parts and words there may still be."""

    def __init__(self) -> None:
        self._parts = MOST_PARTS
        self._words = MOST_WORDS

    def take(self, words: int) -> None:
        """One more part of so many words."""
        self._parts -= 1
        self._words -= words
        if self._parts < 0 or self._words < 0:
            raise _Crowded

    def fits(self, parts: Iterable[Part]) -> None:
        for part in parts:
            self.take(len(part))


def read(text: str) -> Reading:
    """What this command would run."""
    try:
        return _read(text)
    except _Crowded:
        return Reading(text, (), whole=False, crowd=_loosely(text))


def _read(text: str) -> Reading:
    strict = None if _is_odd(text) else plain.chain(text, most=MOST_WORDS)
    if strict is not None:
        parts = [_part(each) for each in strict]
        inner, moves = _inner(parts), _moves(text, strict)
        clear = len(inner) <= MOST_CLEAR and _agrees(text, strict) and moves is not None
        return Reading(text, inner, clear, moves or "")
    crude, found = _crude(text, _Room()), _wide(text)
    if found is None:
        return Reading(text, _inner(crude), whole=False)
    parts = _inner(found)
    known = set(parts)
    return Reading(
        text, parts, guesses=tuple(each for each in dict.fromkeys(crude) if each not in known)
    )


def _is_odd(text: str) -> bool:
    return len(text) > MOST_READ or bool(plain.odd_character(text))


def _loosely(text: str) -> str:
    """The text without quotes, case and what cannot be seen: whatever program it names, its name stands there."""
    text = _joined(text).translate(_GONE)
    if text.isascii():
        return text.lower()
    seen = unicodedata.normalize("NFKD", "".join(filter(str.isprintable, text)))
    return unicodedata.normalize("NFKD", seen.casefold())


def _wide(text: str) -> list[Part] | None:
    if len(text) > _MOST_WIDE or plain.odd_character(text):
        return None
    found = tree.parts(text)
    if found is not None and "\\\n" in text:
        # The grammar takes a line that goes on for the end of a word, which it is not.
        found += tree.parts(_joined(text)) or []
    return found


def _joined(text: str) -> str:
    return text.replace("\\\n", "")


def _part(simple: Simple) -> Part:
    return tuple(Word(word, True) for word in simple.words)


def _agrees(text: str, strict: Sequence[Simple]) -> bool:
    """The wide reader sees the same, slice by slice: each begins with the command that the one before ended with."""
    last = 0
    while True:
        first, enough = last, strict[last].start + _SLICE
        while last + 1 < len(strict) and (last == first or strict[last + 1].end <= enough):
            last += 1
        here = strict[first : last + 1]
        start, end = here[0].start, here[-1].end
        if end - start > _MOST_WIDE or tree.parts(text[start:end]) != list(map(_part, here)):
            return False
        if last + 1 == len(strict):
            return True


def moved(text: str) -> str:
    """The folder that a command changes to before all else; empty: it does not, or not in that plain way."""
    return read(text).moves if text.lstrip().startswith(("cd ", "cd\t")) else ""


def _moves(text: str, commands: Sequence[Simple]) -> str | None:
    """Where its commands run, from where it starts; empty: there. None: that cannot be told."""
    moving = [at for at, each in enumerate(commands) if each.words[0] == "cd"]
    if not moving or len(commands) == 1:
        return ""
    words, between = commands[0].words, text[commands[0].end : commands[1].start]
    plainly = len(words) == 2 and words[1] and not words[1].startswith(("-", "~"))
    return words[1] if moving == [0] and plainly and between.strip() == "&&" else None


def _inner(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, and those in texts that some of them would have run: `sh -c '…'`."""
    found, room = dict.fromkeys(parts), _Room()
    room.fits(parts)
    level = list(found)
    length = _MOST_WIDE
    for _ in range(_DEEPEST):
        inner: dict[Part, None] = {}
        for text in _texts(level):
            length -= len(text)
            if wide := _wide(text) if length >= 0 else None:
                room.fits(wide)
            inner.update(dict.fromkeys(wide or _crude(text, room)))
        level = [part for part in inner if part not in found]
        found.update(dict.fromkeys(level))
    return tuple(found)


def _texts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if part and part[0].plain and runs([word.text for word in part]):
            yield from (
                word.text for word in part[1:] if word.plain and _CUT_OR_BLANK.search(word.text)
            )


def _crude(text: str, room: _Room) -> list[Part]:
    pieces = _CUT.split(_joined(text))
    if "#" in text and "\\\n" in text:  # a comment does not go on in the next line
        pieces += _CUT.split(_joined(_COMMENT.sub("", text)))
    found: list[Part] = []
    for piece in filter(None, pieces):
        if words := piece.split():
            room.take(len(words))
            if part := tuple(dropwhile(_stands_before, map(_crude_word, words))):
                found.append(part)
    return found


def _stands_before(word: Word) -> bool:
    """A keyword or an assignment: the program comes after it."""
    return word.text in plain.RESERVED or "=" in word.text


def _crude_word(raw: str) -> Word:
    return Word(raw.translate(_GONE), not _EXPANDS.search(raw))
