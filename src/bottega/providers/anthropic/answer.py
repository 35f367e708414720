"""The answer of a Messages call, event by event.

Nothing of a call leaves as a block before `message_stop`: an answer that breaks off has pieces,
but no calls.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from bottega import ids
from bottega.messages.block import Block, Source, Sources, Text, tool_uses
from bottega.messages.message import StopReason, Usage
from bottega.providers.anthropic import events
from bottega.providers.anthropic.blocks import OpenBlock, OpenCall, opened
from bottega.providers.anthropic.events import Event, Message
from bottega.providers.openai.broken import cut_off, no_answer, unreadable
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.explain import error_in, explain_error
from bottega.providers.protocol.json_values import count
from bottega.providers.protocol.loose_json import REFUSALS, second_look, text_in
from bottega.providers.provider import Failed, Finished, Started, StreamEvent

_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "tool_use": "tool_use",
    "pause_turn": "end_turn",
    "refusal": "refusal",
    "model_context_window_exceeded": "max_tokens",
}

_NOTICES = {
    "pause_turn": "The provider paused a long turn; send another message to let it go on.",
    "model_context_window_exceeded": "The answer was cut: the model's context window is full.",
}

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens_details",
)


class Answer:
    """Turns one answer into stream events; see `provider.Decoder`."""

    def __init__(self) -> None:
        self._started = False
        self._done = False
        self._broken = False
        self._model = ""
        self._usage: dict[str, Any] = {}
        self._stop = ""
        self._explanation = ""
        self._blocks: list[OpenBlock] = []
        self._open: dict[int, OpenBlock] = {}
        self._unended: set[int] = set()
        """Where among those that are open one is no call."""
        self._sources: dict[Source, None] = {}
        self._calls = 0
        self._ids: set[str] = set()

    def step(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        """Take one event of the stream."""
        if self._done:
            return ()
        try:
            event = events.read(data)
        except REFUSALS:
            event = second_look(data, Event, events.STREAMED)
        if self._broken or event is None:
            return self._unread(data)
        if event.type == "content_block_delta":
            return self._on_block_delta(event)
        return self._other(event.type or name, event)

    def whole(self, body: bytes) -> Sequence[StreamEvent]:
        """Take a non-streaming answer."""
        if self._done:
            return ()
        try:
            message = events.read_message(body)
        except REFUSALS:
            message = second_look(body, Message, frozenset())
        if message is None or message.content is None or message.error is not None:
            return self._fail(no_answer(body))
        out = self._begin(message)
        for index, start in enumerate(message.content):
            out += self._start(index, start)
            out += self._stop_block(index)
            if self._done:
                return out
        self._stopped(message.stop_reason, message.stop_details)
        return out + self._finish()

    def end(self) -> Sequence[StreamEvent]:
        """The body ended; without `message_stop` nothing of it counts."""
        return () if self._done else self._fail(cut_off())

    def _unread(self, data: bytes) -> Sequence[StreamEvent]:
        """No JSON: the end of a cut stream if nothing follows, and else a fault of the provider."""
        if data.strip() in (b"", b"[DONE]"):
            return ()
        if self._broken or not data.lstrip().startswith(b"{"):
            return self._fail(unreadable(started=self._started))
        self._broken = True
        return ()

    def _other(self, kind: str, event: Event) -> Sequence[StreamEvent]:
        if kind == "error" or event.error is not None:
            said = {"error": event.error} if event.error else {"message": event.message}
            return self._fail(explain_error("The provider", error_in(said)))
        rule = self._RULES.get(kind)
        return rule(self, event) if rule is not None else ()

    def _on_message_start(self, event: Event) -> Sequence[StreamEvent]:
        return self._begin(event.message if isinstance(event.message, Message) else Message())

    def _on_block_start(self, event: Event) -> Sequence[StreamEvent]:
        return self._start(event.index, event.content_block or {})

    def _on_block_delta(self, event: Event) -> Sequence[StreamEvent]:
        block, delta = self._open.get(event.index), event.delta
        if delta is None:
            return ()
        if block is not None:
            return block.take(delta)
        # Words that belong to no open block cannot be put in their place.
        lost = delta.text or delta.thinking or delta.partial_json
        return self._fail(unreadable(started=self._started)) if lost else ()

    def _on_block_stop(self, event: Event) -> Sequence[StreamEvent]:
        return self._stop_block(event.index)

    def _on_message_delta(self, event: Event) -> Sequence[StreamEvent]:
        self._count(event.usage)
        if event.delta is not None:
            self._stopped(event.delta.stop_reason, event.delta.stop_details)
        return ()

    def _on_message_stop(self, event: Event) -> Sequence[StreamEvent]:
        return self._finish()

    def _begin(self, message: Message | None = None) -> list[StreamEvent]:
        if self._started:
            return []
        self._started = True
        if message is not None:
            self._model = message.model or ""
            self._count(message.usage)
        return [Started(self._model)]

    def _start(self, index: int, start: dict[str, Any]) -> list[StreamEvent]:
        check_number(self._blocks)
        block = opened(start, self._calls, self._sources)
        if isinstance(block, OpenCall):
            if not block.name:
                return self._fail(unreadable(started=True))
            if block.id in self._ids:
                block.id = ids.fresh("call")
            self._ids.add(block.id)
            self._calls += 1
        out = self._begin()
        # Texts follow each other: one without an end ends here. Calls may grow side by side.
        for other in list(self._unended):
            out += self._stop_block(other)
        self._blocks.append(block)
        self._open[index] = block
        if not isinstance(block, OpenCall):
            self._unended.add(index)
        return [*out, *block.open()]

    def _stop_block(self, index: int) -> Sequence[StreamEvent]:
        self._unended.discard(index)
        block = self._open.pop(index, None)
        return block.close() if block is not None else ()

    def _count(self, usage: Any) -> None:
        """Counts are totals: a later one replaces an earlier one, a missing one keeps it."""
        if isinstance(usage, dict):
            said = cast("dict[str, Any]", usage)
            self._usage.update({name: said[name] for name in _COUNTS if said.get(name) is not None})

    def _stopped(self, reason: str | None, details: Any) -> None:
        self._stop = reason or self._stop
        self._explanation = text_in(details, "explanation") or self._explanation

    def _finish(self) -> list[StreamEvent]:
        out = self._begin()
        for index in list(self._open):
            out += self._stop_block(index)
        content = self._content()
        stop = _STOPS.get(self._stop, "end_turn")
        if stop == "end_turn" and self._stop != "pause_turn" and tool_uses(content):
            stop = "tool_use"
        notices = tuple(filter(None, (_NOTICES.get(self._stop, ""), self._explanation)))
        self._done = True
        return [
            *out,
            Finished(content, stop, _usage(self._usage), self._model, self._stop, notices=notices),
        ]

    def _content(self) -> tuple[Block, ...]:
        content: list[Block] = []
        said: list[str] = []
        limited = _STOPS.get(self._stop) == "max_tokens"
        for number, open_block in enumerate(self._blocks, 1):
            block = open_block.block(cut=limited and number == len(self._blocks))
            if isinstance(block, Text):
                # Citations cut one text into many; readers and models want it whole.
                said.append(block.text)
            elif block is not None:
                content += [*_joined(said), block]
                said.clear()
        content += _joined(said)
        if self._sources:
            content.append(Sources(tuple(self._sources)))
        return tuple(content)

    def _fail(self, failed: Failed) -> list[StreamEvent]:
        self._done = True
        return [failed]

    _RULES: ClassVar = {
        "message_start": _on_message_start,
        "content_block_start": _on_block_start,
        "content_block_delta": _on_block_delta,
        "content_block_stop": _on_block_stop,
        "message_delta": _on_message_delta,
        "message_stop": _on_message_stop,
    }


def _joined(said: list[str]) -> list[Block]:
    return [Text("".join(said))] if said else []


def _usage(counts: dict[str, Any]) -> Usage:
    read = count(counts.get("cache_read_input_tokens"))
    written = count(counts.get("cache_creation_input_tokens"))
    details = counts.get("output_tokens_details")
    thinking = (
        cast("dict[str, Any]", details).get("thinking_tokens") if isinstance(details, dict) else 0
    )
    return Usage(
        input_tokens=count(counts.get("input_tokens")) + read + written,
        output_tokens=count(counts.get("output_tokens")),
        cached_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=count(thinking),
    )
