"""The items of a response while they grow, and which of them the last event speaks of."""

from collections import deque
from operator import itemgetter
from typing import Any

import msgspec

from bottega.messages.block import ToolUse
from bottega.providers.openai import responses_items as items
from bottega.providers.openai.calls import finished_call
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

    def use(self, text: str, *, cut: bool) -> ToolUse:
        """The call with these arguments; malformed if the answer stopped in them."""
        cut = cut or not self.ended or text_in(self.item, "status") == "incomplete"
        return finished_call(self.shown, self.name, text, cut=cut)

    def final_text(self) -> str:
        """What the item says as the provider last gave it; empty where that says nothing new."""
        match self.kind:
            case "message":
                return items.message_text(self.item)
            case "reasoning":
                return items.reasoning_text(self.item, self.said)
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
        self._of_id: dict[tuple[items.Kind, str], Item] = {}
        """The last of each kind and id."""

    def open(self, kind: items.Kind, index: Any, given: dict[str, Any]) -> Item:
        item = Item(kind, index, given)
        self.all.append(item)
        if item.id:
            self._of_id[kind, item.id] = item
        if isinstance(index, int):
            self._at[index] = item
        return item

    def known(self, kind: items.Kind, index: Any, id: str) -> Item | None:
        """By its place first: some proxies give an item another id in every event."""
        item = self._at.get(index) if isinstance(index, int) else None
        if item is not None and item.kind == kind and (not item.ended or item.id == id):
            return item
        return self._of_id.get((kind, id))

    def final(self, output: list[dict[str, Any]]) -> list[Item]:
        """The items of the last event; those of the stream where it lists none, as some do."""
        if not output:
            return self.all
        found: list[Item] = []
        streamed = _Streamed(self.all)
        for place, given in enumerate(output):
            item = streamed.take(place, given)
            if item is None:
                item = Item(items.kind_of(given), place, given)
            item.item, item.ended = given, True
            found.append(item)
        return found


class _Streamed:
    """The items of a stream, each to be taken once by an item of the last event."""

    def __init__(self, all: list[Item]) -> None:
        self._taken: set[int] = set()
        self._free: dict[tuple[Any, ...], deque[tuple[int, Item]]] = {}
        for number, item in enumerate(all):
            call = text_in(item.item, "call_id")
            for name in (("", None), ("id", item.id), ("place", _number(item.index))):
                for which in (None, call):
                    key = (item.kind, *name, which)
                    self._free.setdefault(key, deque()).append((number, item))

    def take(self, place: int, given: dict[str, Any]) -> Item | None:
        """The streamed item that this is: by id, else by place, else the first of its kind."""
        kind, id, call = items.kind_of(given), text_in(given, "id"), text_in(given, "call_id")
        for name in (("id", id), ("place", place), ("", None)):
            if name == ("id", ""):
                continue
            calls = ("", call) if call else (None,)
            found = [first for which in calls if (first := self._first((kind, *name, which)))]
            if found:
                number, item = min(found, key=itemgetter(0))
                self._taken.add(number)
                return item
        return None

    def _first(self, key: tuple[Any, ...]) -> tuple[int, Item] | None:
        line = self._free.get(key, ())
        while line and line[0][0] in self._taken:
            line.popleft()
        return line[0] if line else None


def _number(index: Any) -> int | float | None:
    return index if isinstance(index, int | float) else None
