"""Text of files and arguments that somebody decides on: nothing in it is obeyed, and nothing in it is hidden either.

Where `clean` leaves out what a terminal would obey, this names it, as `approvals.shown` does for commands; indentation
and foreign letters it leaves as they are, since files are full of them.
"""

import re
import unicodedata

GAP = 40
"""So many spaces inside a line are counted, not shown: what stands behind them would be out of sight."""

_ODD = re.compile(r"[^\x20-\x7e\n\t]")
_SPACES = re.compile(rf"(?<=\S) {{{GAP},}}(?=\S)")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")
"""Letters that look like nothing."""


def visible(text: str) -> str:
    """The text with all that cannot be seen made visible; line ends stay, tabs become four columns."""
    shown = _ODD.sub(_named, text)
    if " " * GAP in shown:
        shown = _SPACES.sub(lambda found: f" ⟨{len(found[0]):,} spaces⟩ ", shown)
    return shown.expandtabs(4)


def _named(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) in _HIDDEN or character in _BLANK or character in "⟨⟩":
        return f"⟨U+{ord(character):04X}⟩"
    return character
