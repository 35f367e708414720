"""The patterns of a `.gitignore`, as one question: does this file say anything about that path?

Patterns come from the workspace, so none may cost much. All of them are followed along a path at once, name by name: a
set of bits says how far each has come, and one name takes the set one step on. So a path costs its depth, however many
`**` there are and however often they could fit; and which names a star stands for is found out one short name at a
time, where stars give back nothing that they have once matched.
"""

import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import msgspec

LARGEST = 64 * 1024
"""Bytes of a `.gitignore` that are read."""
SECONDS = 5.0
"""What learning the patterns that one walk meets, and which names they fit, may take; then nothing is said any more."""
_PATTERNS = 1_000
_LONGEST = 512
_GLOBS = 500
"""Different names with stars, or the like, in all patterns together; a pattern with one more is left out."""
_NAMES = 256
"""Names of which it is kept what they fit."""
_ANY_DEPTH = re.compile(r"\A\*{2,}\Z")
_SPECIAL = re.compile(r"[*?\[\\]")
_ANY_NAME = "*"


class Effort:
    """The time that one walk has for all patterns that it meets."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.left = seconds

    @contextmanager
    def spend(self) -> Generator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.left -= time.perf_counter() - begun


class _Step(msgspec.Struct, frozen=True):
    name: str
    """One name of a path, with stars or the like."""
    deeper: bool
    """Whether any number of folders may come before it."""


class _Pattern(msgspec.Struct, frozen=True):
    steps: list[_Step]
    negated: bool
    folders_only: bool


class Ignore:
    """The patterns of one `.gitignore`; paths are relative to the folder that it lies in.

    Each pattern has a bit for each of its steps, set where the names so far fit all steps before it, and one above
    them, set where they fit the whole pattern. Those of later patterns are higher.
    """

    def __init__(self, text: str, effort: Effort | None = None) -> None:
        self._effort = effort or Effort()
        self._plain: dict[str, int] = {}
        """The bits of steps that are just a name."""
        self._globs: dict[str, int] = {}
        self._fits: dict[str, Callable[[str], object]] = {}
        self._any = self._deeper = self._begin = 0
        self._files = self._folders = self._negated = 0
        """The highest bits, of patterns that are about files, about folders, and that say what is not ignored."""
        self._bits = 0
        if self._effort.left > 0:
            with self._effort.spend():
                for line in text.splitlines()[:_PATTERNS]:
                    if found := _pattern(line):
                        self._add(found)
        self._known: dict[str, int] = {}
        self._above = ("", self._begin)
        """The folder that was last asked about, and how far the patterns have come there."""

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether the path is ignored; None: nothing is said about it. The last pattern that fits decides."""
        above, _, name = path.rpartition("/")
        whole = self._after(self._at(above), name) & (self._folders if folder else self._files)
        if not whole:
            return None
        return not self._negated >> (whole.bit_length() - 1) & 1

    def _at(self, folder: str) -> int:
        if not folder:
            return self._begin
        asked, come = self._above
        if folder != asked:
            come = self._begin
            for name in folder.split("/"):
                come = self._after(come, name)
            self._above = (folder, come)
        return come

    def _after(self, come: int, name: str) -> int:
        fitting = self._known.get(name)
        if fitting is None:
            fitting = self._known_now(name)
        return (come & fitting) << 1 | come & self._deeper

    def _known_now(self, name: str) -> int:
        if self._effort.left <= 0:
            return 0
        fitting = self._any | self._plain.get(name, 0)
        with self._effort.spend():
            for glob, fits in self._fits.items():
                if fits(name):
                    fitting |= self._globs[glob]
        if len(self._known) >= _NAMES:
            self._known.clear()
        self._known[name] = fitting
        return fitting

    def _add(self, pattern: _Pattern) -> None:
        if not all(self._learn(step.name) for step in pattern.steps):
            return
        self._begin |= 1 << self._bits
        for step in pattern.steps:
            bit = 1 << self._bits
            self._bits += 1
            if step.deeper:
                self._deeper |= bit
            if step.name == _ANY_NAME:
                self._any |= bit
            else:
                among = self._globs if step.name in self._globs else self._plain
                among[step.name] = among.get(step.name, 0) | bit
        highest = 1 << self._bits
        self._bits += 1
        self._folders |= highest
        if not pattern.folders_only:
            self._files |= highest
        if pattern.negated:
            self._negated |= highest

    def _learn(self, name: str) -> bool:
        """Whether what this name stands for can be told."""
        if name == _ANY_NAME or name in self._globs or not _SPECIAL.search(name):
            return True
        if len(self._globs) >= _GLOBS:
            return False
        try:
            self._fits[name] = re.compile(_name(name)).fullmatch
        except re.error:
            return False
        self._globs[name] = 0
        return True


def _pattern(line: str) -> _Pattern | None:
    text = line.rstrip(" ")
    if text.endswith("\\") and text != line:
        text += " "  # the first one is meant
    if not text or text.startswith("#") or len(text) > _LONGEST:
        return None
    negated = text.startswith("!")
    text = text[negated:]
    names = [name for name in text.split("/") if name]
    if not names:
        return None
    deeper = "/" not in text.rstrip("/")  # a mere name is meant at any depth
    steps: list[_Step] = []
    for name in names:
        if _ANY_DEPTH.match(name):
            deeper = True
        else:
            steps.append(_Step(name, deeper))
            deeper = False
    if _ANY_DEPTH.match(names[-1]):
        steps.append(_Step(_ANY_NAME, deeper=True))
    return _Pattern(steps, negated, text.endswith("/"))


def _name(step: str) -> str:
    """One name of a path: the text between two stars is taken where it first comes."""
    parts = _between_stars(step)
    if len(parts) == 1:
        return parts[0]
    first, *middle, last = parts
    held = "".join(f"(?>[^/]*?{part})" for part in middle if part)
    return f"{first}{held}[^/]*{last}"


def _between_stars(step: str) -> list[str]:
    parts = [""]
    at = 0
    while at < len(step):
        sign = step[at]
        at += 1
        if sign == "*":
            parts.append("")
        elif sign == "?":
            parts[-1] += "[^/]"
        elif (
            sign == "["
            and (end := step.find("]", at + 2 if step[at : at + 1] in "!^" else at + 1)) > 0
        ):
            parts[-1] += _letters(step[at:end])
            at = end + 1
        else:
            if sign == "\\" and at < len(step):
                sign = step[at]
                at += 1
            parts[-1] += re.escape(sign)
    return parts


def _letters(inside: str) -> str:
    negated = inside[0] in "!^"
    listed = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[negated:])
    return f"[^/{listed}]" if negated else f"(?!/)[{listed}]"
