"""Whether a text that grows is a JSON object up to here; each of its pieces is looked at once."""

from collections.abc import Callable
from typing import Literal

from bottega.messages.json_size import DEEPEST
from bottega.providers.protocol.loose_json import arguments

_BLANKS = " \t\r\n"
_BRACKETS = "[]{}"
_OPEN = "[{"


class GrowingObject:
    """Follows strings and brackets; the whole is decoded once, when its last bracket has come."""

    __slots__ = ("_depth", "_escape", "_in_string", "_state", "_unread")

    def __init__(self) -> None:
        self._unread: list[str] = []
        self._state: Literal["", "blank", "open", "closed", "whole", "never"] = ""
        self._depth = 0
        self._in_string = False
        self._escape = ""
        """A backslash whose letter has not come."""

    def add(self, piece: str) -> None:
        if self._state != "never":
            self._unread.append(piece)

    def is_whole(self, written: Callable[[], str]) -> bool:
        """Whether all that was added, as `written` puts it together, is what `arguments` takes for an object."""
        piece = "".join(self._unread)
        self._unread.clear()
        if piece:
            self._read(piece)
        if self._state == "closed":
            self._state = "never" if arguments(written()) is None else "whole"
        return self._state in ("blank", "whole")

    def _read(self, piece: str) -> None:
        if self._state in ("", "blank"):
            self._state, piece = "blank", piece.lstrip()
            if not piece:
                return
            self._state = "open" if piece[0] == "{" else "never"
        if self._state == "whole" and piece.strip(_BLANKS):
            self._state = "never"
        if self._state == "open":
            self._follow(piece)

    def _follow(self, piece: str) -> None:
        piece = (self._escape + piece).replace("\\\\", "")
        self._escape = "\\" if piece.endswith("\\") else ""
        for place, part in enumerate(piece.replace('\\"', "").split('"')):
            if place:
                self._in_string = not self._in_string
            if self._in_string:
                continue
            if self._state == "closed":
                self._state = "closed" if not part.strip(_BLANKS) else "never"
            elif any(bracket in part for bracket in _BRACKETS):
                self._count(part)
            if self._state == "never":
                return

    def _count(self, part: str) -> None:
        for place, sign in enumerate(part):
            if sign not in _BRACKETS:
                continue
            self._depth += 1 if sign in _OPEN else -1
            if self._depth > DEEPEST:
                self._state = "never"
                return
            if not self._depth:
                self._state = "never" if part[place + 1 :].strip(_BLANKS) else "closed"
                return
