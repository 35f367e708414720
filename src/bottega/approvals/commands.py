"""Patterns of commands: `git status`, `npm run *`, `pytest tests/*`. Words are matched, never characters of a text.

A `*` at the end stands for further plain words. An allowance covers a part of a clear reading, and none that runs
other commands; a prohibition is met by every part that begins so, and doubted by each that could.
"""

import shlex
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import msgspec

from bottega.approvals import glob
from bottega.approvals.glob import Glob, compiled, is_literal
from bottega.approvals.shell import plain
from bottega.approvals.shell.read import Reading
from bottega.approvals.shell.runs import program, runs, widens
from bottega.approvals.shell.tree import Part


class _Pattern(msgspec.Struct, frozen=True):
    words: tuple[Glob, ...]
    rest: bool
    """Further words may follow."""
    starts: tuple[str, ...]
    """What each word begins with, up to its first wildcard: most words differ there, which costs nothing to see."""


def check(pattern: str, *, allows: bool) -> None:
    """Raise ValueError, with the reason, for a pattern that makes no sense.

    One that allows may also be a whole command of any kind, to be met by that very text.
    """
    if plain.odd_character(pattern):
        raise ValueError("it holds a character that cannot be seen")
    if _compiled(pattern) is None and not (allows and _is_text(pattern)):
        raise ValueError("it is not the words of one command, with * for what may be anything")


def covers(pattern: str, part: Part, reading: Reading) -> bool:
    """Whether this part is one that the pattern allows."""
    found = _compiled(pattern)
    if found is None or not reading.clear:
        return False
    fixed = len(found.words)
    if len(part) < fixed or (len(part) > fixed and not found.rest):
        return False
    words = [word.text for word in part]
    if not all(map(str.startswith, words, found.starts)):
        return False
    if not all(map(glob.matches, found.words, words)) or runs(words):
        return False
    return not any(
        widens(words, at)
        for at in range(len(words))
        if at >= fixed or not is_literal(found.words[at])
    )


def names(pattern: str, reading: Reading) -> bool:
    """Whether the pattern is this whole command, letter for letter."""
    return _is_text(pattern) and pattern.strip() == reading.text.strip()


def meets(pattern: str, part: Part, reading: Reading) -> bool | None:
    """Whether a prohibition means this part; None: that cannot be told."""
    found = _compiled(pattern)
    assert found is not None, "a rule is checked when it is made"
    if reading.crowd:
        return True if _is_mentioned(found, reading.crowd) else None
    if not part:
        return False if reading.whole else None
    certain = _begins(found, part)
    if certain:
        return True
    doubtful = certain is None or not reading.whole
    if part[0].plain and runs([word.text for word in part]):
        if _is_given(found, part):
            return True
        doubtful = True
    return None if doubtful or _strewn(found, part) else False


def recalls(pattern: str, guess: Part) -> bool:
    """Whether what might be a command would be one that a prohibition means."""
    found = _compiled(pattern)
    assert found is not None, "a rule is checked when it is made"
    return bool(_begins(found, guess)) or (
        guess[0].plain and runs([word.text for word in guess]) and _is_given(found, guess)
    )


def pattern_of(words: Sequence[str], *, rest: bool = False) -> str:
    """The pattern that names these words, and with `rest` further ones."""
    quoted = [shlex.quote(word) for word in words]
    return " ".join([*quoted, *(["*"] if rest else [])])


def _is_mentioned(pattern: _Pattern, crowd: str) -> bool:
    """All that the pattern says letter for letter stands somewhere in there."""
    return all(
        "".join(letters) in crowd
        for wanted in pattern.words
        for wild, letters in groupby(_folded(wanted), key=lambda token: len(token) > 1)
        if not wild
    )


def _begins(pattern: _Pattern, part: Part, start: int = 0) -> bool | None:
    for at, wanted in enumerate(pattern.words, start):
        if at >= len(part):
            return False
        text, plainly = part[at]
        if not plainly:
            return None
        if not (_is_program(wanted, text) if at == start else glob.matches(wanted, text)):
            return False
    return True


def _is_given(pattern: _Pattern, part: Part) -> bool:
    """It stands among the words of a program that runs what it is given."""
    return any(_begins(pattern, part, at) for at in range(1, len(part)))


def _is_program(wanted: Glob, name: str) -> bool:
    """Whatever folder it is named with, and in any case."""
    loose = _folded(wanted)
    return glob.matches(loose, glob.folded(name)) or (
        "/" in name and glob.matches(loose, glob.folded(program(name)))
    )


_folded = lru_cache(maxsize=256)(glob.folded_glob)


def _strewn(pattern: _Pattern, part: Part) -> bool:
    """The pattern's words stand there in their order, with others between: `git -C x push`."""
    if len(pattern.words) < 2 or not (
        part[0].plain and _is_program(pattern.words[0], part[0].text)
    ):
        return False
    words = iter(part[1:])
    return all(
        any(not w.plain or glob.matches(wanted, w.text) for w in words)
        for wanted in pattern.words[1:]
    )


def _is_text(pattern: str) -> bool:
    return bool(pattern.strip()) and "*" not in pattern and "?" not in pattern


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Pattern | None:
    found = plain.chain(pattern, wild=True)
    if found is None or len(found) != 1 or "\n" in pattern:
        return None
    words = found[0].words
    rest = words[-1] == "*"
    globs = tuple(map(compiled, words[:-1] if rest else words))
    return _Pattern(globs, rest, tuple(map(glob.start, globs)))
