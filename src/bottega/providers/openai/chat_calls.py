"""Tool calls out of pieces, whichever way the provider numbers, names and repeats them.

OpenAI gives an index in every piece, the id and the name in the first. Others leave the index out,
or give every call index 0; repeat the id in each piece, or give none; send a call whole. A call is
shown once its name is known, and keeps the id under which it was first shown.
"""

from typing import Any, cast

import msgspec

from bottega.ids import fresh
from bottega.messages.block import ToolUse
from bottega.providers.openai.calls import NAMELESS, finished_call
from bottega.providers.protocol.brackets import Brackets
from bottega.providers.protocol.loose_json import arguments, kept
from bottega.providers.protocol.surrogates import Growing
from bottega.providers.provider import CallPiece


class Call:
    """One call as far as it has come."""

    __slots__ = ("_brackets", "_is_broken", "arguments", "extra", "given", "id", "name", "number")

    def __init__(self, given: str) -> None:
        self.given = given
        """The provider's id."""
        self.id = ""
        """Ours, from when it is shown: the provider's where it is unique."""
        self.name = ""
        self.number = -1
        self.arguments = Growing()
        self.extra: Any = None
        """What the provider wants back with the call, such as a sealed thought."""
        self._brackets = Brackets()
        self._is_broken = False

    def add(self, text: str) -> None:
        self.arguments.add(text)
        self._brackets.add(text)

    def add_odd(self, text: str) -> str:
        text = self.arguments.add_odd(text)
        self._brackets.add(text)
        return text

    @property
    def is_whole(self) -> bool:
        """Whether its arguments are all there; they are only read where all that was opened is closed."""
        if self._is_broken or not self._brackets.are_closed:
            return False
        so_far = self.arguments.text
        if not so_far:
            return False
        # Nothing that follows what was closed makes it an object.
        self._is_broken = arguments(so_far) is None
        return not self._is_broken

    def block(self, *, cut: bool) -> ToolUse:
        """The whole call; `cut` says that the answer stopped in it."""
        raw = {"extra_content": self.extra} if self.extra else None
        return finished_call(self.id, self.name, self.arguments.text, cut=cut, raw=raw)


class Calls:
    """All calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._at: dict[int, Call] = {}
        self._given: dict[str, Call] = {}
        self._shown: set[str] = set()
        self._count = 0

    @property
    def last(self) -> Call | None:
        return self._calls[-1] if self._calls else None

    def next_number(self) -> int:
        """Count one more call of this answer, be it ours or one that the provider ran itself."""
        self._count += 1
        return self._count - 1

    def take(self, entry: dict[str, Any], *, odd: bool) -> tuple[Call | None, list[CallPiece]]:
        """Take one entry of `tool_calls`; return the call if it is a new one, and what to show."""
        found = entry.get("function")
        function = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        index, given, name = entry.get("index"), _text(entry.get("id")), _text(function.get("name"))
        text = _arguments_text(function.get("arguments"))
        if isinstance(index, bool) or not isinstance(index, int):
            index = None
        call = self._find(index, given, name, text)
        opened = None
        if call is None:
            call = opened = self._open(index, given)
        call.name = call.name or name
        call.extra = kept(entry.get("extra_content")) or call.extra
        return opened, self._grow(call, text, odd=odd)

    def end(self) -> list[CallPiece]:
        """No more comes: show what has waited for a name, or for half a character."""
        pieces: list[CallPiece] = []
        for call in self._calls:
            call.name = call.name or NAMELESS
            rest = call.arguments.end()
            pieces += self._show(call, rest)
        return pieces

    def _grow(self, call: Call, text: str, *, odd: bool) -> list[CallPiece]:
        if odd:
            text = call.add_odd(text)
        elif text:
            call.add(text)
        return self._show(call, text)

    def _show(self, call: Call, text: str) -> list[CallPiece]:
        if call.number >= 0:
            return [CallPiece(call.number, text)] if text else []
        if not call.name:
            return []
        call.number = self.next_number()
        call.id = call.given if call.given and call.given not in self._shown else fresh("call")
        self._shown.add(call.id)
        return [CallPiece(call.number, call.arguments.text, call.id, call.name)]

    def _open(self, index: int | None, given: str) -> Call:
        call = Call(given)
        self._calls.append(call)
        if index is not None:
            self._at[index] = call
        if given:
            self._given.setdefault(given, call)
        return call

    def _find(self, index: int | None, given: str, name: str, text: str) -> Call | None:
        here = self.last if index is None else self._at.get(index)
        if not given:
            return None if here is None or _begins_anew(here, name, text) else here
        if here is not None and here.given == given:
            return here
        known = self._given.get(given)
        if known is not None and (
            not name or (index is None and not _begins_anew(known, name, text))
        ):
            return known
        if here is None or here.given or _begins_anew(here, name, text):
            return None
        here.given = given
        self._given.setdefault(given, here)
        return here


def _begins_anew(call: Call, name: str, text: str) -> bool:
    """Whether a piece without an id of its own cannot belong to this call."""
    if not name or not call.name:
        return False
    if name != call.name:
        return True
    return bool(text) and call.is_whole


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


def _arguments_text(found: Any) -> str:
    """The arguments as text; some send the object itself."""
    if isinstance(found, dict):
        given = kept(found)
        return "(nested too deeply)" if given is None else msgspec.json.encode(given).decode()
    return _text(found)
