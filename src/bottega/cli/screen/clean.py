"""Text of models, tools and files made safe for a terminal: it may say anything, but command nothing.

Removed are escape sequences (colours, cursor, window titles, links, clipboard), control characters but for line ends
and tabs, and the marks that hide or reorder text. `Cleaner` does so for text that comes in pieces: a sequence that is
cut between two pieces is held back until its end is known.

Where somebody decides on a text nothing in it may be hidden either: `visible` names what `clean` leaves out, as
`approvals.shown` does for commands; indentation and foreign letters stay, since files are full of them.
"""

import re
import unicodedata

from bottega.printable import UNPRINTABLE, is_unseen

_STRING_START = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])"
_STRING_BODY = r"[^\x07\x1b\x9c\n\x90\x98\x9d\x9e\x9f]"
"""It ends where another one begins: a text of nothing but beginnings is read once, not once for each."""
_CSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*"

_SEQUENCE = re.compile(
    rf"{_CSI}[@-~]|{_STRING_START}{_STRING_BODY}*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]"
)
_CUT = re.compile(rf"(?:{_CSI}|{_STRING_START}{_STRING_BODY}*\x1b?|\x1b[ -/]*)\Z")
_CONTROL = re.compile(f"[{UNPRINTABLE}]")

LONGEST = 4096
"""A sequence that has not ended after so many characters never will: it is text."""


def clean(text: str) -> str:
    """The same text without anything that a terminal would obey."""
    if not _CONTROL.search(text):
        return text
    return _CONTROL.sub("", _SEQUENCE.sub("", text))


class Cleaner:
    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The safe part of what has come so far and was not returned yet."""
        text = self._held + piece
        if not self._held and not _CONTROL.search(piece):
            return piece
        cut = _CUT.search(text, max(0, len(text) - LONGEST))
        end = cut.start() if cut else len(text)
        self._held = text[end:]
        return clean(text[:end])

    def end(self) -> str:
        """What was held back, when nothing more comes."""
        rest, self._held = clean(self._held), ""
        return rest


def one_line(text: str, width: int = 0) -> str:
    """Safe text on one line, cut at `width` if that is given."""
    line = " ".join(clean(text).split())
    return line if not width or len(line) <= width else f"{line[: max(1, width - 1)]}…"


GAP = 40
"""So many spaces inside a line are counted, not shown: what stands behind them would be out of sight."""

_ODD = re.compile(r"[^\x20-\x7e\n\t]")
_SPACES = re.compile(rf"(?<=\S) {{{GAP},}}(?=\S)")


def visible(text: str) -> str:
    """The text with all that cannot be seen made visible; line ends stay, tabs become four columns."""
    shown = _ODD.sub(_named, text)
    if " " * GAP in shown:
        shown = _SPACES.sub(lambda found: f" ⟨{len(found[0]):,} spaces⟩ ", shown)
    return shown.expandtabs(4)


def _named(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\ufe0f" and _makes_picture(found.string, found.start()):
        return character
    return f"⟨U+{ord(character):04X}⟩" if is_unseen(character) or character in "⟨⟩" else character


def _makes_picture(text: str, at: int) -> bool:
    """Whether the selector there stands in an emoji: behind a sign, or in a key such as 1️⃣."""
    before = text[at - 1 : at]
    if before.isascii():
        return text[at + 1 : at + 2] == "\u20e3"
    return unicodedata.category(before) in ("So", "Sm")
