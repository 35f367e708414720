"""Half a character never leaves: the halves of a surrogate pair may come in two events.

JSON writes 😀 as `\\ud83d\\ude00`, and some providers cut between the two. A high half waits for
its low half; a half that stays alone becomes U+FFFD, as it can be neither stored nor sent.
"""

import json
import re
from typing import Any, cast

LONE = "\ufffd"
_PIECE = 64 * 1024
_HALF = re.compile("[\ud800-\udfff]")


def mend(text: str) -> str:
    """The text with pairs joined and lone halves replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # By way of JSON, whose decoder joins pairs: a codec would call Python's handler of errors for each half.
        paired: str = json.loads(json.dumps(text))
        # In pieces: no one call holds up what runs in other threads.
        return "".join(
            _HALF.sub(LONE, paired[at : at + _PIECE]) for at in range(0, len(paired), _PIECE)
        )
    return text


def mended(found: Any, keep: frozenset[str] = frozenset()) -> Any:
    """The same for every string in a decoded JSON value, but for those under a key in `keep`."""
    if isinstance(found, str):
        return mend(found)
    if isinstance(found, list):
        return [mended(entry, keep) for entry in cast("list[Any]", found)]
    if not isinstance(found, dict):
        return found
    return {
        mend(key): value if key in keep and isinstance(value, str) else mended(value, keep)
        for key, value in cast("dict[str, Any]", found).items()
    }


class Growing:
    """A text that arrives in pieces; what it gives back can always be shown."""

    __slots__ = ("_held", "_pieces")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""

    def add(self, piece: str) -> None:
        """Take a piece that is known to hold no half characters."""
        self._pieces.append(piece)

    def add_odd(self, piece: str) -> str:
        """Take a piece that may begin or end with half a character; return what can be shown."""
        piece = self._held + piece
        self._held = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            self._held, piece = piece[-1], piece[:-1]
        piece = mend(piece)
        if piece:
            self._pieces.append(piece)
        return piece

    def end(self) -> str:
        """No more comes: return what stands for a half that waited in vain."""
        if not self._held:
            return ""
        self._held = ""
        self._pieces.append(LONE)
        return LONE

    @property
    def text(self) -> str:
        """All of it so far, but for a half that waits."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""
