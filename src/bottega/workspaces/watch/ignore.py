"""The patterns of a `.gitignore`, as one question: does this file say anything about that path?

Patterns come from the workspace, so none may cost much: stars give back nothing that they have once matched, a few
patterns at a time are tried so that other threads get in, and whoever looks at many paths has so many seconds for it.
"""

import re
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import groupby

import msgspec

LARGEST = 64 * 1024
"""Bytes of a `.gitignore` that are read."""
SECONDS = 5.0
"""What asking about all paths of one walk may take; after that nothing is said about any."""
_PATTERNS = 1_000
_LONGEST = 512
_TOGETHER = 4_000
"""Characters of an expression: no other thread runs while one is matched."""
_ANY_DEPTH = re.compile(r"\A\*{2,}\Z")


class _Pattern(msgspec.Struct, frozen=True):
    regex: str
    negated: bool
    folders_only: bool


class _Run(msgspec.Struct, frozen=True):
    """Neighbouring patterns of one kind: in what order they are tried makes no difference."""

    negated: bool
    files: tuple[re.Pattern[str], ...]
    folders: tuple[re.Pattern[str], ...]


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


class Ignore:
    """The patterns of one `.gitignore`; paths are relative to the folder that it lies in."""

    def __init__(self, text: str, effort: Effort | None = None) -> None:
        self._effort = effort or Effort()
        self._runs: list[_Run] = []
        if self._effort.left <= 0:
            return
        with self._effort.spend():
            lines = text.splitlines()[:_PATTERNS]
            patterns = [found for line in lines if (found := _pattern(line))]
            for negated, run in groupby(patterns, lambda each: each.negated):
                self._runs.insert(0, _run(negated, list(run)))

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether the path is ignored; None: nothing is said about it. The last pattern that fits decides."""
        if self._effort.left <= 0:
            return None
        begun = time.perf_counter()
        try:
            for run in self._runs:
                for regex in run.folders if folder else run.files:
                    if regex.fullmatch(path):
                        return not run.negated
            return None
        finally:
            self._effort.left -= time.perf_counter() - begun


def _run(negated: bool, patterns: list[_Pattern]) -> _Run:
    files = (pattern.regex for pattern in patterns if not pattern.folders_only)
    return _Run(negated, _any(files), _any(pattern.regex for pattern in patterns))


def _any(regexes: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Expressions that match what any of these matches, none of them long."""
    parts: list[list[str]] = []
    size = _TOGETHER
    for regex in regexes:
        if size + len(regex) > _TOGETHER:
            parts.append([])
            size = 0
        parts[-1].append(regex)
        size += len(regex)
    return tuple(re.compile("|".join(part), re.DOTALL) for part in parts)


def _pattern(line: str) -> _Pattern | None:
    text = re.sub(r"(?<!\\) +$", "", line)
    if not text or text.startswith("#") or len(text) > _LONGEST:
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    steps = [_ANY_DEPTH.sub("**", step) for step in text.split("/") if step]
    if not steps:
        return None
    anchored = "/" in text.rstrip("/")
    regex = _regex(steps)
    if not anchored:
        regex = f"(?:.*/)?+{regex}"
    try:
        re.compile(regex)
    except re.error:
        return None
    return _Pattern(f"(?:{regex})", negated, folders_only)


def _regex(steps: list[str]) -> str:
    """The names between two `**` are taken where they first come: if that leads to no match, no later place does."""
    first, *others = _between_depths(steps)
    if not others:
        return "/".join(first)
    *middle, last = others
    said = "".join(f"{name}/" for name in first)
    for names in filter(None, middle):
        said += "(?>(?:[^/]+/)*?" + "".join(f"{name}/" for name in names) + ")"
    return said + ("(?:[^/]+/)*" + "/".join(last) if last else ".+")


def _between_depths(steps: list[str]) -> list[list[str]]:
    """The expressions of the names before, between and after all `**`."""
    parts: list[list[str]] = [[]]
    for step in steps:
        if step == "**":
            parts.append([])
        else:
            parts[-1].append(_name(step))
    return parts


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
