"""A response as stream events. The last event says everything again, and is the truth.

What the pieces left out is shown when an item is done, or at the end, so that the pieces add up to
the answer even where a proxy swallows them. Without that last event the answer was cut off.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from bottega.ids import fresh
from bottega.messages.block import Block, ToolUse
from bottega.messages.message import StopReason
from bottega.providers.openai import responses_items as items
from bottega.providers.openai.broken import cut_off, no_answer, unreadable
from bottega.providers.openai.calls import NAMELESS
from bottega.providers.openai.citations import Citations
from bottega.providers.openai.responses_progress import Item, Items
from bottega.providers.openai.usage import responses_usage, stated_cost
from bottega.providers.protocol.explain import ErrorText, error_in, explain_error, read_error
from bottega.providers.protocol.loose_json import REFUSALS, entries, second_look, shallow, text_in
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    ReasoningPiece,
    Request,
    Started,
    StreamEvent,
    TextPiece,
)


class Event(msgspec.Struct, gc=False):
    """Any event; only its frame is typed."""

    type: Any = None
    delta: Any = None
    output_index: Any = None
    item_id: Any = None
    item: Any = None
    response: Any = None
    annotation: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(Event).decode
_STREAMED = frozenset({"delta"})
_REASONS: dict[str, StopReason] = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


class Answer:
    """The decoder of one response."""

    def __init__(self, request: Request) -> None:
        self._model = request.model
        self._started = False
        self._over = False
        self._broken = False
        self._odd = False
        self._refused = False
        self._cut = False
        self._items = Items()
        self._shown: set[str] = set()
        self._count = 0
        self._citations = Citations()

    def step(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        if self._over:
            return ()
        try:
            event = _decode(data)
        except REFUSALS:
            event = self._look_again(data)
            if event is None:
                return self._unread(name, data)
        if self._broken or _too_deep(event):
            return self._fail(unreadable(started=self._started))
        if not isinstance(event.type, str):
            event.type = "error" if event.error else name
        if event.type == "error":
            return self._fail(explain_error("The provider", read_error(data)))
        events: list[StreamEvent] = []
        take = _TAKES.get(event.type)
        if take is not None:
            if not self._started:
                self._start(event.response, events)
            take(self, event, events)
        return events

    def whole(self, body: bytes) -> Sequence[StreamEvent]:
        if self._over:
            return ()
        try:
            found: Any = msgspec.json.decode(body)
        except REFUSALS:
            found = second_look(body, dict[str, Any], frozenset())
        if not isinstance(found, dict) or "output" not in found or not shallow(found):
            return self._fail(no_answer(body))
        events: list[StreamEvent] = []
        self._start(found, events)
        self._conclude(cast("dict[str, Any]", found), "completed", events)
        return events

    def end(self) -> Sequence[StreamEvent]:
        return () if self._over else self._fail(cut_off())

    def _look_again(self, data: bytes) -> Event | None:
        event = second_look(data, Event, _STREAMED)
        self._odd = self._odd or event is not None
        return event

    def _unread(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        """No JSON: that is the end of a cut stream, unless something follows."""
        text = data.strip()
        if name == "error":
            return self._fail(explain_error("The provider", read_error(data)))
        if text == b"[DONE]" and not self._broken:
            return self.end()
        if not text:
            return ()
        if self._broken or not text.startswith(b"{"):
            return self._fail(unreadable(started=self._started))
        self._broken = True
        return ()

    def _fail(self, failure: Failed) -> Sequence[StreamEvent]:
        self._over = True
        return (failure,)

    def _start(self, response: Any, events: list[StreamEvent]) -> None:
        self._started = True
        self._model = text_in(response, "model") or self._model
        events.append(Started(self._model))

    # What the events in between say.

    def take_begun(self, event: Event, events: list[StreamEvent]) -> None:
        """Nothing but the start, which was told already."""

    def take_text(self, event: Event, events: list[StreamEvent]) -> None:
        self._say(self._item_of(event, "message"), event.delta, events)

    def take_refusal(self, event: Event, events: list[StreamEvent]) -> None:
        self._refused = True
        self._say(self._item_of(event, "message"), event.delta, events)

    def take_reasoning(self, event: Event, events: list[StreamEvent]) -> None:
        self._say(self._item_of(event, "reasoning"), event.delta, events)

    def take_arguments(self, event: Event, events: list[StreamEvent]) -> None:
        self._say(self._item_of(event, "call"), event.delta, events)

    def take_annotation(self, event: Event, events: list[StreamEvent]) -> None:
        self._citations.take([event.annotation])

    def take_added(self, event: Event, events: list[StreamEvent]) -> None:
        if not isinstance(event.item, dict):
            return
        given = cast("dict[str, Any]", event.item)
        kind, id = items.kind_of(given), text_in(given, "id")
        item = self._items.known(kind, event.output_index, id)
        if item is None or item.id != id:
            item = self._items.open(kind, event.output_index, given)
        self._announce(item, events)

    def take_done(self, event: Event, events: list[StreamEvent]) -> None:
        if not isinstance(event.item, dict):
            return
        given = cast("dict[str, Any]", event.item)
        kind = items.kind_of(given)
        item = self._items.known(kind, event.output_index, text_in(given, "id"))
        if item is None:
            item = self._items.open(kind, event.output_index, given)
        is_first = not item.ended
        item.item, item.ended = given, True
        if is_first:  # what more there may be is shown at the end
            self._complete(item, events)

    def take_end(self, event: Event, events: list[StreamEvent]) -> None:
        found: Any = event.response
        response = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        self._conclude(response, event.type.rpartition(".")[2], events)

    # Items.

    def _item_of(self, event: Event, kind: items.Kind) -> Item:
        id = event.item_id if isinstance(event.item_id, str) else ""
        item = self._items.known(kind, event.output_index, id)
        return item or self._items.open(kind, event.output_index, {"id": id})

    def _say(self, item: Item, text: Any, events: list[StreamEvent]) -> None:
        if not text or not isinstance(text, str):
            return
        if self._odd:
            text = item.said.add_odd(text)
            if not text:
                return
        else:
            item.said.add(text)
        self._show(item, text, events)

    def _show(self, item: Item, text: str, events: list[StreamEvent]) -> None:
        if item.kind == "message":
            events.append(TextPiece(text))
        elif item.kind == "reasoning":
            events.append(ReasoningPiece(text))
        elif item.number >= 0:
            events.append(CallPiece(item.number, text))

    def _announce(self, item: Item, events: list[StreamEvent]) -> None:
        """Show a call, once its name is known, with all its arguments so far."""
        if item.kind not in ("call", "run") or item.number >= 0:
            return
        ours = item.kind == "call"
        item.name = text_in(item.item, "name") if ours else items.run_name(item.item)
        if not item.name:
            return
        wanted = text_in(item.item, "call_id") if ours else ""
        wanted = wanted or text_in(item.item, "id")
        item.shown = wanted if wanted and wanted not in self._shown else fresh("call")
        self._shown.add(item.shown)
        item.number = self._count
        self._count += 1
        events.append(CallPiece(item.number, item.said.text, item.shown, item.name))

    def _complete(self, item: Item, events: list[StreamEvent]) -> str:
        """Show what the pieces left out; return the whole of what the item says."""
        if item.kind == "call" and not text_in(item.item, "name"):
            item.item = {**item.item, "name": item.name or NAMELESS}
        rest = item.said.end()
        if rest:
            self._show(item, rest, events)
        self._announce(item, events)
        streamed = item.said.text
        final = item.final_text(streamed) or streamed
        if final.startswith(streamed) and len(final) > len(streamed):
            rest = final[len(streamed) :]
            item.said.add(rest)
            self._show(item, rest, events)
        return final

    # The end.

    def _conclude(self, response: dict[str, Any], status: str, events: list[StreamEvent]) -> None:
        self._over = True
        status = text_in(response, "status") or status
        if status not in ("completed", "incomplete"):
            events.append(_failure(response, status))
            return
        self._cut = status == "incomplete"
        content: list[Block] = []
        last: ToolUse | None = None
        for item in self._items.final(entries(response.get("output"))):
            blocks = self._blocks(item, last, events)
            content += blocks
            last = next((block for block in reversed(blocks) if isinstance(block, ToolUse)), last)
        reason = text_in(response.get("incomplete_details"), "reason")
        events.append(
            Finished(
                (*content, *self._citations.block()),
                self._stop_reason(status, reason, content),
                responses_usage(response.get("usage")),
                text_in(response, "model") or self._model,
                status if status == "completed" else reason or status,
                stated_cost(response.get("usage")),
            )
        )

    def _stop_reason(self, status: str, reason: str, content: list[Block]) -> StopReason:
        if status == "incomplete":
            return _REASONS.get(reason, "max_tokens")
        if any(isinstance(block, ToolUse) and not block.server for block in content):
            return "tool_use"
        return "refusal" if self._refused else "end_turn"

    def _blocks(self, item: Item, last: ToolUse | None, events: list[StreamEvent]) -> list[Block]:
        text = self._complete(item, events)
        given = item.item
        match item.kind:
            case "message":
                self._refused = self._refused or items.is_refusal(given)
                for part in entries(given.get("content")):
                    self._citations.take(part.get("annotations"))
                return [items.text_block(given, text)] if text else []
            case "reasoning":
                return [items.reasoning_block(given, text)]
            case "call":
                return [item.use(text, cut=self._cut)]
            case "run":
                return items.run_blocks(given, item.shown)
            case "output":
                return [items.output_block(given, last.id)] if last and last.server else []
            case "sealed":
                return [items.reasoning_block(given, "")]


def _too_deep(event: Event) -> bool:
    return bool(event.item or event.response) and not shallow([event.item, event.response])


def _failure(response: dict[str, Any], status: str) -> Failed:
    error = error_in(response.get("error") or {})
    if not error.message:
        error = ErrorText(f"the response is {status!r}", error.kind, error.status)
    return explain_error("The provider", error)


_Take = Callable[[Answer, Event, list[StreamEvent]], None]

_TAKES: dict[str, _Take] = {
    "response.output_text.delta": Answer.take_text,
    "response.refusal.delta": Answer.take_refusal,
    "response.reasoning_text.delta": Answer.take_reasoning,
    "response.reasoning_summary_text.delta": Answer.take_reasoning,
    "response.function_call_arguments.delta": Answer.take_arguments,
    "response.output_text.annotation.added": Answer.take_annotation,
    "response.output_item.added": Answer.take_added,
    "response.output_item.done": Answer.take_done,
    "response.created": Answer.take_begun,
    "response.in_progress": Answer.take_begun,
    "response.completed": Answer.take_end,
    "response.incomplete": Answer.take_end,
    "response.failed": Answer.take_end,
    "response.cancelled": Answer.take_end,
}
