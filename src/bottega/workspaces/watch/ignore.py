"""The patterns of a `.gitignore`, as one question: does this file say anything about that path?

Patterns come from the workspace, so none may cost much: stars give back nothing that they have once matched, and a
pattern with many `**` is left out.
"""

import re
from collections.abc import Iterable
from itertools import groupby

import msgspec

LARGEST = 64 * 1024
"""Bytes of a `.gitignore` that are read."""
_PATTERNS = 1_000
_LONGEST = 512
_DEEPEST = 3
_ANY_DEPTH = re.compile(r"\A\*{2,}\Z")


class _Pattern(msgspec.Struct, frozen=True):
    regex: str
    negated: bool
    folders_only: bool


class _Run(msgspec.Struct, frozen=True):
    """Neighbouring patterns of one kind: in what order they are tried makes no difference."""

    negated: bool
    files: "re.Pattern[str] | None"
    folders: re.Pattern[str]


class Ignore:
    """The patterns of one `.gitignore`; paths are relative to the folder that it lies in."""

    def __init__(self, text: str) -> None:
        patterns = [found for line in text.splitlines()[:_PATTERNS] if (found := _pattern(line))]
        self._runs = [
            _run(negated, list(run)) for negated, run in groupby(patterns, lambda p: p.negated)
        ][::-1]

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether the path is ignored; None: nothing is said about it. The last pattern that fits decides."""
        for run in self._runs:
            regex = run.folders if folder else run.files
            if regex and regex.fullmatch(path):
                return not run.negated
        return None


def _run(negated: bool, patterns: list[_Pattern]) -> _Run:
    files = [pattern.regex for pattern in patterns if not pattern.folders_only]
    return _Run(
        negated, _any(files) if files else None, _any(pattern.regex for pattern in patterns)
    )


def _any(regexes: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(regexes), re.DOTALL)


def _pattern(line: str) -> _Pattern | None:
    text = re.sub(r"(?<!\\) +$", "", line)
    if not text or text.startswith("#") or len(text) > _LONGEST:
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    steps = [_ANY_DEPTH.sub("**", step) for step in text.split("/") if step]
    if not steps or steps.count("**") > _DEEPEST:
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
    said: list[str] = []
    for place, step in enumerate(steps, 1):
        last = place == len(steps)
        if step == "**":
            said.append(".+" if last else "(?:.*/)?")
        else:
            said.append(_name(step) + ("" if last else "/"))
    return "".join(said)


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
