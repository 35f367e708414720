"""What to say where an old text is not in a file: why, as far as that can be told, and what comes nearest.

The file may be large and the text anything: looking for what is alike ends after a fixed time.
"""

import re
import time
from collections import Counter
from collections.abc import Callable

_SECONDS = 0.3
_LINES = 30
_WIDTH = 200
_ALIKE = 0.6
_COMMON = 50
"""A line that stands in more places than this says nothing about where."""

_QUOTES = str.maketrans("‘’‚‛“”„‟«»–—−\u00a0\u202f", '\'\'\'\'""""""---  ')
_NUMBER = re.compile(r"^ *\d+(?:\t|: ?|\| ?)", re.MULTILINE)


def explained(text: str, old: str) -> str:
    """Why `old` is not in `text`, with the nearest lines and their numbers."""
    if not text:
        return "The file is empty. With an empty old_text its text can be given whole."
    lines = text.split("\n")
    found = _reason(text, lines, old)
    if found:
        reason, first = found
        return f"{reason}\n{_shown(lines, first, old.count(chr(10)) + 1)}"
    nearest = _nearest(lines, old.split("\n"))
    if nearest is None:
        return "Nothing in the file resembles old_text. Read the file again."
    return (
        "old_text must be in the file exactly. The nearest is:\n"
        f"{_shown(lines, nearest, old.count(chr(10)) + 1)}"
    )


def _reason(text: str, lines: list[str], old: str) -> tuple[str, int] | None:
    """A known slip, and the line at which the text stands without it."""
    bare = _NUMBER.sub("", old)
    if bare != old and bare and bare in text:
        return "old_text has line numbers before its lines; the file has not.", _line(text, bare)
    literal = old.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if literal != old and literal in text:
        return 'old_text is escaped once too often (\\n, \\t or \\").', _line(text, literal)
    ways: tuple[tuple[Callable[[str], str], str], ...] = (
        (_spaced, _white(text, old)),
        (lambda each: each.translate(_QUOTES), "Only quotation marks, dashes or spaces differ."),
        (str.casefold, "Only the case of letters differs."),
    )
    for change, sentence in ways:
        # Line by line, so that numbers of lines stay true.
        body = "\n".join(map(change, lines))
        wanted = "\n".join(map(change, old.split("\n"))).strip("\n")
        if wanted.strip() and wanted in body:
            return sentence, _line(body, wanted)
    return None


def _spaced(line: str) -> str:
    return " ".join(line.split())


def _white(text: str, old: str) -> str:
    if "\t" in text and "\t" not in old:
        return "Only white space differs: the file has tabs where old_text has spaces."
    if "\t" in old and "\t" not in text:
        return "Only white space differs: the file has spaces where old_text has tabs."
    return "Only white space differs (indentation, or spaces at the end of a line)."


def _line(text: str, part: str) -> int:
    return text.count("\n", 0, text.index(part))


def _nearest(lines: list[str], old: list[str]) -> int | None:
    """The line (from 0) at which the text begins that has most in common with the old one."""
    places: dict[str, list[int]] = {}
    wanted = {_spaced(line) for line in old} - {""}
    for index, line in enumerate(lines):
        spaced = _spaced(line)
        if spaced in wanted:
            places.setdefault(spaced, []).append(index)
    votes: Counter[int] = Counter()
    for offset, line in enumerate(old):
        found = places.get(_spaced(line), ())
        votes.update({at - offset: len(line) for at in found if len(found) <= _COMMON})
    if votes:
        return max(0, max(votes, key=lambda start: (votes[start], -start)))
    offset, longest = max(enumerate(old), key=lambda each: len(each[1].strip()))
    alike = _alike(lines, longest)
    return None if alike is None else max(0, alike - offset)


def _alike(lines: list[str], wanted: str) -> int | None:
    """The line that is most like this one, as far as there is time to look."""
    from bottega.alike import Bounded, Budget

    budget = Budget()
    matcher = Bounded("", wanted.strip()[:_WIDTH], budget, autojunk=False)
    best, found = _ALIKE, None
    until = time.monotonic() + _SECONDS
    for index, line in enumerate(lines):
        if budget.left < 0 or (index % 32 == 0 and time.monotonic() > until):
            break
        matcher.set_seq1(line.strip()[:_WIDTH])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, found = ratio, index
    return found


def _shown(lines: list[str], first: int, count: int) -> str:
    """The lines with their numbers, and one more on each side."""
    start, end = max(0, first - 1), min(len(lines), first + min(count, _LINES) + 1)
    if end == len(lines) and not lines[-1]:
        end -= 1
    rows = [
        f"{n + 1:>6}\t{lines[n][:_WIDTH]}{'…' if len(lines[n]) > _WIDTH else ''}"
        for n in range(start, end)
    ]
    return "\n".join(rows)
