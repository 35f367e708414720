"""Characters that command a terminal or hide what a text says, and JSON in which none of them stands as it is.

Whoever writes to a terminal, a log or a file that is read in a terminal goes by this one list.
"""

import re
import unicodedata

UNPRINTABLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but for line ends and tabs, DEL, C1
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # hidden, reordering
    "\U000e0000-\U000e007f"  # tags: letters to a model, nothing to the eye
)
"""For between the brackets of a regular expression. Joiners are not in it: emoji and many scripts need them."""

_BLANK = re.compile(
    "[\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f"  # letters and marks that look like nothing
    "\u2800\ufffc\U0001d159\U00013441\U00013442\U00016fe4"  # blank signs
    "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # selectors: one of them can hold a byte
)


def is_unseen(character: str) -> bool:
    """Nothing is to be seen of it where it stands, or a screen obeys it; spaces and ends of lines are among these."""
    return unicodedata.category(character)[0] in "CZ" or bool(_BLANK.match(character))


_IN_JSON = re.compile(f"[{UNPRINTABLE}]")


def printable_json(encoded: bytes) -> bytes:
    r"""The same JSON value, with every such character written as ``\uXXXX``: outside of strings there is none."""
    if encoded.isascii() and b"\x7f" not in encoded:
        return encoded
    return _IN_JSON.sub(_escaped, encoded.decode("utf-8", "replace")).encode()


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
