"""The items of a response while they grow, and which of them the last event speaks of."""

from collections import deque
from typing import Any

import msgspec

from bottega.messages.block import ToolUse
from bottega.providers.openai import responses_items as items
from bottega.providers.openai.calls import finished_call
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.loose_json import text_in
from bottega.providers.protocol.surrogates import Growing


class Item:
    """One item of the response as far as it has come."""

    __slots__ = (
        "ended",
        "id",
        "index",
        "item",
        "kind",
        "name",
        "number",
        "said",
        "settled",
        "shown",
    )

    def __init__(self, kind: items.Kind, index: Any, item: dict[str, Any]) -> None:
        self.kind: items.Kind = kind
        self.index = index
        self.item = item
        """The item as the provider last gave it."""
        self.id = text_in(item, "id")
        self.name = ""
        self.shown = ""
        """The id under which a call was shown."""
        self.number = -1
        self.said = Growing()
        self.ended = False
        self.settled = False

    def use(self, text: str, *, cut: bool) -> ToolUse:
        """The call with these arguments; malformed if the answer stopped in them."""
        cut = cut or not self.ended or text_in(self.item, "status") == "incomplete"
        return finished_call(self.shown, self.name, text, cut=cut)

    def final_text(self, streamed: str) -> str:
        """What the item says as the provider last gave it."""
        match self.kind:
            case "message":
                return items.message_text(self.item)
            case "reasoning":
                return items.reasoning_text(self.item, streamed)
            case "call":
                return text_in(self.item, "arguments")
            case "run":
                given = items.run_input(self.item) if self.ended else None
                return msgspec.json.encode(given).decode() if given is not None else ""
            case _:
                return ""


class Items:
    """All items of one response, in the order in which they appeared."""

    def __init__(self) -> None:
        self.all: list[Item] = []
        self._at: dict[int, Item] = {}
        self._named: dict[tuple[items.Kind, str], Item] = {}

    def open(self, kind: items.Kind, index: Any, given: dict[str, Any]) -> Item:
        item = Item(kind, index, given)
        check_number(self.all)
        self.all.append(item)
        self._named[kind, item.id] = item
        if isinstance(index, int):
            self._at[index] = item
        return item

    def known(self, kind: items.Kind, index: Any, id: str) -> Item | None:
        """By its place first: some proxies give an item another id in every event."""
        item = self._at.get(index) if isinstance(index, int) else None
        if item is not None and item.kind == kind and (not item.ended or item.id == id):
            return item
        return self._named.get((kind, id)) if id else None

    def final(self, output: list[dict[str, Any]]) -> list[Item]:
        """The items of the last event; those of the stream where it lists none, as some do."""
        if not output:
            return self.all
        found: list[Item] = []
        free = _Free(self.all)
        for place, given in enumerate(output):
            item = free.match(place, given)
            if item is None:
                check_number(found)
                item = Item(items.kind_of(given), place, given)
            item.item, item.ended, item.settled = given, True, True
            found.append(item)
        return found


class _Free:
    """The streamed items that the last event has not spoken of yet."""

    def __init__(self, streamed: list[Item]) -> None:
        self._lines: dict[tuple[Any, ...], deque[tuple[int, Item]]] = {}
        for number, item in enumerate(streamed):
            call = text_in(item.item, "call_id")
            for what in (("id", item.id), ("place", _number(item.index)), ("any",)):
                for calls in (("any call",), ("call", call)):
                    line = self._lines.setdefault((item.kind, *what, *calls), deque())
                    line.append((number, item))

    def match(self, place: int, given: dict[str, Any]) -> Item | None:
        """The one that this is: by id, else by place, else the first of its kind."""
        kind, id, call = items.kind_of(given), text_in(given, "id"), text_in(given, "call_id")
        found = self._first(kind, ("id", id), call) if id else None
        found = found or self._first(kind, ("place", place), call)
        return found or self._first(kind, ("any",), call)

    def _first(self, kind: items.Kind, what: tuple[Any, ...], call: str) -> Item | None:
        """The first that is free, and of this call, or of one that is not known."""
        calls = (("call", ""), ("call", call)) if call else (("any call",),)
        heads = [self._head((kind, *what, *each)) for each in calls]
        found = [head for head in heads if head]
        return min(found, key=lambda head: head[0])[1] if found else None

    def _head(self, key: tuple[Any, ...]) -> tuple[int, Item] | None:
        line = self._lines.get(key)
        while line and line[0][1].settled:
            line.popleft()
        return line[0] if line else None


def _number(index: Any) -> int | float | None:
    return index if isinstance(index, int | float) else None
