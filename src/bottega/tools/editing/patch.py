"""Exact pairs of old and new text, made one after the other on a file's running text.

A patch fits in exactly one place, or it is not made: nothing is guessed. All that do not fit are told at once.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from bottega.tools.editing.miss import explained
from bottega.tools.editing.written import Written, plain
from bottega.tools.reading import WHOLE_MAX

_NAMED = 10


class Patch(msgspec.Struct, frozen=True):
    old: str
    new: str
    everywhere: bool = False


class Made(msgspec.Struct, frozen=True):
    """What one patch did, as the model reads it."""

    line: int
    """Where it stood, when it was made; of several places the first."""
    lines_removed: int
    lines_added: int
    places: int = 1


class Misfit(Exception):  # noqa: N818
    """Why a patch was not made."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def patches(given: Iterable[dict[str, Any]]) -> list[Patch]:
    return [
        Patch(plain(each["old_text"]), each["new_text"], each.get("replace_all", False))
        for each in given
    ]


def patched(
    start: Written, wanted: list[Patch], path: str
) -> tuple[Written, list[Made], list[Misfit]]:
    """The text with every patch that fits, what was done, and why the others do not fit."""
    done: list[Made] = []
    wrong: list[Misfit] = []
    for number, patch in enumerate(wanted, 1):
        which = f"Patch {number} of {path!r}" if len(wanted) > 1 else f"The patch of {path!r}"
        try:
            start, made = _one(start, patch, which, path)
            done.append(made)
        except Misfit as problem:
            wrong.append(problem)
    return start, done, wrong


def _one(at: Written, patch: Patch, which: str, path: str) -> tuple[Written, Made]:
    new = plain(patch.new)
    if patch.old == new:
        raise Misfit(
            f"{which} changes nothing: old_text and new_text are the same "
            "(line endings are kept as they are in the file).",
            "NO_CHANGE",
        )
    if not patch.old:
        if at.text:
            raise Misfit(
                f"{which} has no old_text: that creates a file, and {path!r} already has text. "
                "Name the text to replace, or use write_file.",
                "NO_MATCH",
            )
        return at.filled(patch.new), Made(1, 0, _lines(new))
    first = at.text.find(patch.old)
    if first < 0:
        raise Misfit(f"{which} does not fit. {explained(at.text, patch.old)}", "NO_MATCH")
    places = at.text.count(patch.old) if patch.everywhere else 1
    if not patch.everywhere and at.text.find(patch.old, first + 1) >= 0:
        raise Misfit(f"{which} {_several(at.text, patch.old)}", "SEVERAL_MATCHES")
    if len(at.text) + places * (len(new) - len(patch.old)) > WHOLE_MAX:
        raise Misfit(f"{which} would make the file too large.", "TOO_LARGE")
    made = Made(at.text.count("\n", 0, first) + 1, _lines(patch.old), _lines(new), places)
    if patch.everywhere:
        return at.replaced_all(patch.old, new), made
    return at.replaced([(first, first + len(patch.old))], new), made


def _found(text: str, old: str) -> Iterator[int]:
    """Where the old text stands, in order, overlapping itself too."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + 1)


def _several(text: str, old: str) -> str:
    lines = [text.count("\n", 0, start) + 1 for start in islice(_found(text, old), _NAMED + 1)]
    count = len(lines) if len(lines) <= _NAMED else max(text.count(old), len(lines))
    named = ", ".join(map(str, lines[:_NAMED])) + (", …" if len(lines) > _NAMED else "")
    return (
        f"fits in {count:,} places, at lines {named}. "
        "Add text around it until it fits in one, or set replace_all."
    )


def _lines(text: str) -> int:
    """Lines that a text stands on."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0
