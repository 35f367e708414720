"""A unified diff as a person reads it: a line for each file, numbers beside each line, what changed in colour.

Lines of a hunk are counted as its head says, so that a file which holds a diff of its own cannot pass for one. What
cannot be seen is made visible; signs tell what colours tell, for those who see none.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from rich.cells import cell_len, chop_cells

from bottega.cli.screen.clean import one_line, visible
from bottega.cli.screen.figures import count
from bottega.cli.screen.tools import Part

Sign = Literal[" ", "-", "+", "\\"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MODES: dict[str, Literal["new", "gone"]] = {"new file": "new", "deleted file": "gone"}
_STYLES: dict[str, str] = {"+": "diff.added", "-": "diff.removed", " ": "", "\\": "dim"}
_ALIKE = 0.4
"""Of two lines, so much must be the same for the rest to be worth pointing at."""


class Line(NamedTuple):
    sign: Sign
    number: int
    """In the new file; of a removed line, in the old one."""
    text: str


class FileDiff(NamedTuple):
    path: str
    state: Literal["new", "changed", "gone"]
    hunks: list[list[Line]]
    notes: list[str]
    """What is said of it instead, where it is no text."""

    @property
    def added(self) -> int:
        return sum(line.sign == "+" for hunk in self.hunks for line in hunk)

    @property
    def removed(self) -> int:
        return sum(line.sign == "-" for hunk in self.hunks for line in hunk)


def parse(text: str) -> list[FileDiff]:
    """The files of a unified diff."""
    files: list[FileDiff] = []
    lines = text.split("\n")
    place, old = 0, ""
    is_named = False
    """Of the last file no more than its name has been read."""
    while place < len(lines):
        line = lines[place]
        place += 1
        if line.startswith("diff --git "):
            files.append(FileDiff(line.rpartition(" b/")[2], "changed", [], []))
            is_named = True
        elif is_named and line.startswith(tuple(_MODES)):
            files[-1] = files[-1]._replace(state=_MODES[line.partition(" mode ")[0]])
        elif line.startswith("Binary files ") and is_named:
            files[-1].notes.append("It is no text.")
            is_named = False
        elif line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ "):
            files[len(files) - is_named :] = [_file(old, line[4:])]
            is_named = False
        elif files and (head := _HUNK.match(line)):
            hunk = _hunk(lines, place, head)
            files[-1].hunks.append(hunk)
            place += len(hunk)
        elif line.startswith("Binary file: ") and files:
            files[-1].notes.append(line)
    return files


def _file(old: str, new: str) -> FileDiff:
    before, after = (name.split("\t", 1)[0] for name in (old, new))
    if before == "/dev/null":
        return FileDiff(after.removeprefix("b/"), "new", [], [])
    if after == "/dev/null":
        return FileDiff(before.removeprefix("a/"), "gone", [], [])
    return FileDiff(after.removeprefix("b/"), "changed", [], [])


def _hunk(lines: list[str], place: int, head: re.Match[str]) -> list[Line]:
    old, new = int(head[1]), int(head[3])
    last_old, last_new = old + int(head[2] or 1), new + int(head[4] or 1)
    hunk: list[Line] = []
    for line in islice(lines, place, None):
        sign = line[:1]
        if sign == "\\":
            hunk.append(Line("\\", 0, line[1:].strip()))
            continue
        if old >= last_old and new >= last_new:
            break
        if sign == "+":
            hunk.append(Line("+", new, line[1:]))
        elif sign == "-":
            hunk.append(Line("-", old, line[1:]))
        else:
            hunk.append(Line(" ", new, line[1:]))
        old += sign != "+"
        new += sign != "-"
    return hunk


def amount(files: list[FileDiff]) -> list[Part]:
    """`+3 −1`, of all of them."""
    added, removed = sum(f.added for f in files), sum(f.removed for f in files)
    parts: list[Part] = []
    if added or not removed:
        parts.append((f"+{added:,}", "diff.added"))
    if removed:
        parts.append((f"{' ' if parts else ''}−{removed:,}", "diff.removed"))
    return parts


def drawn(files: list[FileDiff], width: int, most: int = 0) -> tuple[list[list[Part]], int]:
    """The lines of a diff, at most so many; and how many lines of it are not among them."""
    shown: list[list[Part]] = []
    left = 0
    for place, file in enumerate(files):
        if place and not left:
            shown.append([("", "")])
        for rows in _rows(file, width):
            if most and len(shown) + len(rows) > most:
                left += 1
            elif not left:
                shown += rows
            else:
                left += 1
    return shown, left


def left_off(number: int) -> list[Part]:
    return [(f"… {count(number, 'more line')}", "dim")]


_STATES = {"new": " (new file)", "gone": " (deleted)", "changed": ""}


def _rows(file: FileDiff, width: int) -> Iterator[list[list[Part]]]:
    """What belongs to one line of the diff at a time: a long line fills several rows."""
    head: list[Part] = [(one_line(visible(file.path)), "bold"), (_STATES[file.state], "dim")]
    if file.hunks:
        head += [("  ", ""), *amount([file])]
    yield [head]
    if not file.hunks:
        for note in file.notes or ["No line differs."]:
            yield [[(f"  {one_line(visible(note))}", "dim")]]
    digits = max((len(str(line.number)) for hunk in file.hunks for line in hunk), default=1)
    for place, hunk in enumerate(file.hunks):
        if place:
            yield [[(" " * digits + " ⋮", "dim")]]
        marks = _emphasis(hunk)
        for at, line in enumerate(hunk):
            yield _wrapped(line, marks.get(at), digits, width)


def _wrapped(line: Line, mark: tuple[int, int] | None, digits: int, width: int) -> list[list[Part]]:
    style = _STYLES[line.sign]
    room = max(10, width - digits - 4)
    number = str(line.number) if line.number else ""
    text = visible(line.text)
    pieces = chop_cells(text, room) if cell_len(text) > room else [text]
    rows: list[list[Part]] = []
    begin = 0
    for place, piece in enumerate(pieces or [""]):
        sign = (line.sign if line.sign != "-" else "−") if not place else " "
        lead: list[Part] = [
            (f"{'' if place else number:>{digits}} ", "dim"),
            (f"{sign} ", style),
        ]
        rows.append([*lead, *_marked(piece, begin, mark, style)])
        begin += len(piece)
    return rows


def _marked(piece: str, begin: int, mark: tuple[int, int] | None, style: str) -> list[Part]:
    """A piece of a line, which begins there, with the changed part of the line set off."""
    if mark is None:
        return [(piece, style)]
    first = min(max(mark[0] - begin, 0), len(piece))
    last = min(max(mark[1] - begin, 0), len(piece))
    parts = [(piece[:first], style), (piece[first:last], f"{style}.word"), (piece[last:], style)]
    return [part for part in parts if part[0]]


def _emphasis(hunk: list[Line]) -> dict[int, tuple[int, int]]:
    """For lines that were changed one by one: where in each the difference is."""
    marks: dict[int, tuple[int, int]] = {}
    place = 0
    while place < len(hunk):
        gone = _run(hunk, place, "-")
        come = _run(hunk, place + gone, "+")
        if gone and gone == come:
            for at in range(place, place + gone):
                marks.update(_difference(hunk, at, at + gone))
        place += gone + come or 1
    return marks


def _run(hunk: list[Line], place: int, sign: str) -> int:
    end = place
    while end < len(hunk) and hunk[end].sign == sign:
        end += 1
    return end - place


def _difference(hunk: list[Line], one: int, other: int) -> dict[int, tuple[int, int]]:
    old, new = visible(hunk[one].text), visible(hunk[other].text)
    shorter = min(len(old), len(new))
    front = 0
    while front < shorter and old[front] == new[front]:
        front += 1
    back = 0
    while back < shorter - front and old[-1 - back] == new[-1 - back]:
        back += 1
    if front + back < _ALIKE * max(len(old), len(new)):
        return {}
    return {one: (front, len(old) - back), other: (front, len(new) - back)}
