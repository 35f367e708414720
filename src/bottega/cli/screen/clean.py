"""Text of models, tools and files made safe for a terminal: it may say anything, but command nothing.

Removed are escape sequences (colours, cursor, window titles, links, clipboard), control characters but for line ends
and tabs, and the marks that reorder text. `Cleaner` does so for text that comes in pieces: a sequence that is cut
between two pieces is held back until its end is known.
"""

import re

_STRING_START = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])"
_STRING_BODY = r"[^\x07\x1b\x9c\n]"
_CSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*"

_SEQUENCE = re.compile(
    rf"{_CSI}[@-~]|{_STRING_START}{_STRING_BODY}*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]"
)
_CUT = re.compile(rf"(?:{_CSI}|{_STRING_START}{_STRING_BODY}*\x1b?|\x1b[ -/]*)\Z")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u202a-\u202e\u2066-\u2069]")

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
