"""Text that somebody decides on: nothing in it is obeyed, and nothing in it is hidden either.

Where `clean` leaves out what a terminal would obey, this names it: an escape stands there as `␛`, a mark that turns
the direction of writing as `⟨U+202E⟩`, forty spaces in the middle of a line as `⟨40 spaces⟩`.
"""

import re
import unicodedata

GAP = 8
"""So many spaces inside a line are counted, not shown: what stands behind them would be out of sight."""

_ODD = re.compile(r"[^\x20-\x7e\n\t]")
_SPACES = re.compile(rf"(?<=\S) {{{GAP},}}(?=\S)")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
"""Letters that look like nothing."""


def visible(text: str) -> str:
    """The text with all that cannot be seen made visible; line ends stay, tabs become four columns."""
    shown = _ODD.sub(lambda found: _named(found[0]), text)
    if " " * GAP in shown:
        shown = _SPACES.sub(lambda found: f" ⟨{len(found[0]):,} spaces⟩ ", shown)
    return shown.expandtabs(4)


def _named(character: str) -> str:
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    kind = unicodedata.category(character)
    if kind in _HIDDEN or kind == "Zs" or character in _BLANK or 0xFE00 <= point <= 0xFE0F:
        return f"⟨U+{point:04X}⟩"
    return character
