"""A text as a person may safely decide on it: whole, and with everything visible that could deceive.

What a screen would hide, reorder, or act on is named between ⟨ and ⟩, which themselves never stand there unnamed: two
texts that differ are shown differently. Line ends stay line ends.
"""

import re
import unicodedata

from bottega.errors import Refused
from bottega.printable import is_unseen

MOST_SHOWN = 100_000
"""Characters; nobody reads more before they decide."""

_SPACES = 8
_EMPTY_LINES = 3
_MARKS = 2
_PLAIN = re.compile(r"[!-~ \n]+")
_RUN = re.compile(
    r"(?:\A|(?<=\n)) +(?=\n|\Z)"  # on a line of their own
    rf"| {{{_SPACES + 1},}}|\n{{{_EMPTY_LINES + 2},}}"
)
_TURNS = frozenset({"R", "AL", "AN"})


class TooLong(Refused):
    """Nobody can be asked about a text of that length."""

    code = "too_long"


def shown(text: str) -> str:
    """The text, safe to be shown; raises `TooLong` rather than to show a part of it."""
    if len(text) > MOST_SHOWN:
        raise TooLong(
            f"The text is {len(text):,} characters long, too long to be shown whole.",
            hint=f"At most {MOST_SHOWN:,} can be decided on; put it into a file.",
        )
    return _RUN.sub(_counted, "".join(_visible(text)))


def _visible(text: str) -> list[str]:
    if _PLAIN.fullmatch(text):
        return [text]
    found: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        found.append(_named(char) if _deceives(char) or marks > _MARKS else char)
    return found


def _deceives(char: str) -> bool:
    """Unseen, blank, acting on the screen, or turning the direction of what stands beside it."""
    if char in " \n":
        return False
    return char in "⟨⟩" or is_unseen(char) or unicodedata.bidirectional(char) in _TURNS


def _named(char: str) -> str:
    return "⟨TAB⟩" if char == "\t" else f"⟨U+{ord(char):04X}⟩"


def _counted(found: re.Match[str]) -> str:
    length = len(found[0])
    if found[0][0] == "\n":
        return f"\n⟨{length - 1} empty lines⟩\n"
    return f"⟨{length} spaces⟩" if length > 1 else "⟨1 space⟩"
