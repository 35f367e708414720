"""A chat completion as stream events. Holds the answer so far; text grows as a list of pieces.

The answer is whole once a `finish_reason` was seen, with or without `[DONE]`. An event that is no
JSON is the end of a cut stream if nothing follows it, and else a fault of the provider.
"""

from collections.abc import Sequence
from typing import Any, Literal, cast

from bottega.messages.block import Image
from bottega.messages.message import Usage
from bottega.providers.openai.broken import cut_off, no_answer, unreadable
from bottega.providers.openai.chat_calls import Call, Calls
from bottega.providers.openai.chat_chunk import STREAMED, Choice, Chunk, Delta, decode
from bottega.providers.openai.chat_content import FAULTS, Said, contents, stop_reason
from bottega.providers.openai.chat_extras import Details, Ran, image
from bottega.providers.openai.citations import Citations
from bottega.providers.openai.usage import chat_usage, stated_cost
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.explain import ErrorText, error_in, explain_error, read_error
from bottega.providers.protocol.loose_json import REFUSALS, entries, kept, second_look, text_in
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

_FAULT = ErrorText("the answer broke at its source", "server_error")


class Answer:
    """The decoder of one chat completion."""

    def __init__(self, request: Request) -> None:
        self._asked = request.model
        self._model = ""
        self._started = False
        self._over = False
        self._broken = False
        self._odd = False
        self._stop = ""
        self._refused = False
        self._usage: Any = None
        self._fault: Any = None
        self._parts: list[Said | Call | Ran | Image] = []
        self._open: Said | None = None
        self._calls = Calls()
        self._ran: dict[Any, Ran] = {}
        self._details = Details()
        self._citations = Citations()

    def step(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        if self._over:
            return ()
        try:
            chunk = decode(data)
        except REFUSALS:
            chunk = self._look_again(data)
            if chunk is None:
                return self._unread(name, data)
        if self._broken and not self._stop:
            return self._fail(unreadable(started=self._started))
        if chunk.error or name == "error" or chunk.object == "error":
            return self._fail(explain_error("The provider", read_error(data)))
        return self._take(chunk)

    def whole(self, body: bytes) -> Sequence[StreamEvent]:
        if self._over:
            return ()
        try:
            chunk = decode(body)
        except REFUSALS:
            chunk = self._look_again(body)
        if chunk is None or chunk.error or not chunk.choices:
            return self._fail(no_answer(body))
        for choice in chunk.choices:
            choice.delta = choice.message or choice.delta
            _number_calls(choice.delta)
        self._stop = "stop"
        return [*self._take(chunk), *self.end()]

    def end(self) -> Sequence[StreamEvent]:
        if self._over:
            return ()
        if self._stop:
            return self._finish()
        return self._fail(cut_off())

    def _look_again(self, data: bytes) -> Chunk | None:
        chunk = second_look(data, Chunk, STREAMED)
        self._odd = self._odd or chunk is not None
        return chunk

    def _unread(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        """The end mark, or no JSON: that is the end of a cut stream, unless something follows."""
        if name == "error":
            return self._fail(explain_error("The provider", read_error(data)))
        if data.strip() == b"[DONE]":
            broken = self._broken and not self._stop
            return self._fail(unreadable(started=self._started)) if broken else self.end()
        if self._stop or not data.strip():
            return ()
        if self._broken or not data.lstrip().startswith(b"{"):
            return self._fail(unreadable(started=self._started))
        self._broken = True
        return ()

    def _take(self, chunk: Chunk) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        if not self._started:
            self._start(chunk.model, events)
        if chunk.choices:
            for choice in chunk.choices:
                if choice.index and isinstance(choice.index, int):
                    continue
                delta = choice.delta or choice.message
                if delta is not None:
                    self._take_delta(delta, events)
                if choice.finish_reason or choice.usage or choice.error:
                    self._take_stop(choice)
        if chunk.usage or chunk.x_groq or chunk.citations or chunk.search_results:
            self._take_frame(chunk)
        return events

    def _start(self, model: Any, events: list[StreamEvent]) -> None:
        self._started = True
        self._model = model if model and isinstance(model, str) else self._asked
        events.append(Started(self._model))

    def _take_delta(self, delta: Delta, events: list[StreamEvent]) -> None:
        if delta.reasoning_content or delta.reasoning or delta.reasoning_details:
            self._take_reasoning(delta, events)
        content = delta.content
        if content:
            if isinstance(content, str):
                self._say_text(content, events)
            else:
                self._take_content_parts(content, events)
        if delta.tool_calls:
            self._take_calls(delta.tool_calls, events)
        if delta.refusal or delta.annotations or delta.executed_tools:
            self._take_extras(delta, events)
        if delta.images or delta.function_call:
            self._take_oddities(delta, events)

    def _say_text(self, text: str, events: list[StreamEvent]) -> None:
        said = self._open
        if said is None or said.kind != "text":
            said = self._turn_to("text", "content", events)
        if self._odd:
            text = said.grown.add_odd(text)
            if not text:
                return
        else:
            said.grown.add(text)
        events.append(TextPiece(text))

    def _say_reasoning(self, text: str, field: str, events: list[StreamEvent]) -> None:
        said = self._open
        if said is None or said.kind != "reasoning":
            said = self._turn_to("reasoning", field, events)
        if self._odd:
            text = said.grown.add_odd(text)
            if not text:
                return
        else:
            said.grown.add(text)
        events.append(ReasoningPiece(text))

    def _turn_to(
        self, kind: Literal["text", "reasoning"], field: str, events: list[StreamEvent]
    ) -> Said:
        self._close(events)
        self._open = Said(kind, field)
        self._add(self._open)
        return self._open

    def _add(self, part: Said | Call | Ran | Image) -> None:
        check_number(self._parts)
        self._parts.append(part)

    def _close(self, events: list[StreamEvent]) -> None:
        if self._open is not None:
            rest = self._open.grown.end()
            if rest:
                text = self._open.kind == "text"
                events.append(TextPiece(rest) if text else ReasoningPiece(rest))
        self._open = None

    def _take_reasoning(self, delta: Delta, events: list[StreamEvent]) -> None:
        told = self._details.take(delta.reasoning_details) if delta.reasoning_details else ""
        # Those who send two of the three say the same in each.
        for text, field in (
            (delta.reasoning_content, "reasoning_content"),
            (delta.reasoning, "reasoning"),
            (told, "reasoning"),
        ):
            if text and isinstance(text, str):
                self._say_reasoning(text, field, events)
                return

    def _take_content_parts(self, content: Any, events: list[StreamEvent]) -> None:
        """Content as a list of parts, as Mistral sends it when its models think."""
        for part in entries(content):
            text = text_in(part, "text")
            if text:
                self._say_text(text, events)
            for thought in entries(part.get("thinking")):
                told = text_in(thought, "text")
                if told:
                    self._say_reasoning(told, "", events)

    def _take_calls(self, found: Any, events: list[StreamEvent]) -> None:
        self._close(events)
        for entry in entries(found):
            opened, pieces = self._calls.take(entry, odd=self._odd)
            if opened is not None:
                self._add(opened)
            events += pieces

    def _take_extras(self, delta: Delta, events: list[StreamEvent]) -> None:
        if isinstance(delta.refusal, str) and delta.refusal:
            self._refused = True
            self._say_text(delta.refusal, events)
        self._citations.take(delta.annotations)
        for entry in entries(kept(delta.executed_tools)):
            self._take_run(entry, events)

    def _take_run(self, entry: dict[str, Any], events: list[StreamEvent]) -> None:
        index = entry.get("index")
        key = index if isinstance(index, int) else len(self._ran)
        ran = self._ran.get(key)
        if ran is None:
            self._close(events)
            ran = self._ran[key] = Ran(self._calls.next_number())
            ran.item = entry
            self._add(ran)
            events.append(CallPiece(ran.number, text_in(entry, "arguments"), ran.id, ran.name))
        ran.item.update(entry)
        check_number(ran.item)
        results = entry.get("search_results")
        if isinstance(results, dict):
            self._citations.take_results(cast("dict[str, Any]", results).get("results"))

    def _take_oddities(self, delta: Delta, events: list[StreamEvent]) -> None:
        if isinstance(delta.function_call, dict):
            self._take_calls([{"index": 0, "function": cast("Any", delta.function_call)}], events)
        for entry in entries(delta.images):
            found = image(entry)
            if found is not None:
                self._close(events)
                self._add(found)

    def _take_stop(self, choice: Choice) -> None:
        if isinstance(choice.finish_reason, str) and choice.finish_reason:
            self._stop = choice.finish_reason
        self._usage = choice.usage or self._usage
        self._fault = choice.error or self._fault

    def _take_frame(self, chunk: Chunk) -> None:
        if isinstance(chunk.usage, dict):
            self._usage = cast("dict[str, Any]", chunk.usage)
        elif isinstance(chunk.x_groq, dict):
            self._usage = cast("dict[str, Any]", chunk.x_groq).get("usage") or self._usage
        self._citations.take_results(chunk.search_results or chunk.citations)

    def _fail(self, failure: Failed) -> Sequence[StreamEvent]:
        self._over = True
        return (failure,)

    def _finish(self) -> Sequence[StreamEvent]:
        if self._stop in FAULTS:
            said = error_in({"error": self._fault}) if self._fault else _FAULT
            return self._fail(explain_error("The provider", said))
        self._over = True
        events: list[StreamEvent] = []
        self._close(events)
        events += self._calls.end()
        content = contents(self._parts, self._stop, self._details.found)
        events.append(
            Finished(
                (*content, *self._citations.block()),
                stop_reason(self._stop, content, refused=self._refused),
                chat_usage(self._usage) or Usage(),
                self._model,
                self._stop,
                stated_cost(self._usage),
            )
        )
        return events


def _number_calls(message: Delta | None) -> None:
    """In a whole message each entry is a call of its own."""
    if message is not None:
        for place, entry in enumerate(entries(message.tool_calls)):
            entry["index"] = place
