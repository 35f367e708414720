"""The answer of a generateContent call, chunk by chunk.

The end is the body's end: a chunk may follow the one that names the finish reason. Without such a
reason the answer was cut off, and no call leaves it.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from bottega import ids
from bottega.messages.block import Block, Source, Sources, ToolUse, tool_uses
from bottega.messages.message import StopReason, Usage
from bottega.providers.gemini import chunks, parts
from bottega.providers.gemini.chunks import Candidate, Chunk, Counts, FunctionCall, Part
from bottega.providers.openai.broken import cut_off, no_answer, unreadable
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.explain import error_in, explain_error
from bottega.providers.protocol.json_values import count, written
from bottega.providers.protocol.loose_json import REFUSALS, second_look
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    ReasoningPiece,
    Started,
    StreamEvent,
    TextPiece,
)

_STOPS: dict[str, StopReason] = {
    "STOP": "end_turn",
    "FINISH_REASON_UNSPECIFIED": "end_turn",
    "MAX_TOKENS": "max_tokens",
    "CONTINUATION": "max_tokens",
    **dict.fromkeys(
        (
            "SAFETY",
            "RECITATION",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "LANGUAGE",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
            "MODEL_ARMOR",
            "JAILBREAK",
        ),
        "refusal",
    ),
}
"""Every other word means that the model went astray (`MALFORMED_FUNCTION_CALL` …): `error`."""

_Open = parts.Run | parts.Call | parts.Fixed


class Answer:
    """Turns one answer into stream events; see `provider.Decoder`."""

    def __init__(self) -> None:
        self._started = False
        self._done = False
        self._broken = False
        self._model = ""
        self._usage = Counts()
        self._finish = ""
        self._blocked = False
        self._notice = ""
        self._open: list[_Open] = []
        self._calls = 0
        self._ids: set[str] = set()
        self._last_server_call = ""
        self._sources: list[Source] = []
        self._known: set[Source] = set()
        self._visited: dict[str, Any] = {}

    def step(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        """Take one chunk of the stream."""
        if self._done:
            return ()
        try:
            chunk = chunks.read(data)
        except REFUSALS:
            chunk = second_look(data, Chunk, chunks.STREAMED)
        if self._broken or chunk is None:
            return self._unread(data)
        return self._take(chunk)

    def whole(self, body: bytes) -> Sequence[StreamEvent]:
        """Take a non-streaming answer, or a stream that came as one JSON array."""
        if self._done:
            return ()
        found = _read_whole(body)
        out: list[StreamEvent] = []
        for chunk in [found] if isinstance(found, Chunk) else found or ():
            out += self._take(chunk)
            if self._done:
                return out
        if not self._finish and not self._open:
            return self._fail(no_answer(body))
        return [*out, *self.end()]

    def end(self) -> Sequence[StreamEvent]:
        """The body ended: say the whole answer, if it had an end of its own."""
        if self._done:
            return ()
        return self._finished() if self._finish else self._fail(cut_off())

    def _unread(self, data: bytes) -> Sequence[StreamEvent]:
        """No JSON: the end of a cut stream if nothing follows, and else a fault of the provider."""
        if self._finish or data.strip() in (b"", b"[DONE]"):
            return ()
        array = second_look(data, list[Chunk], chunks.STREAMED)
        if array and array[0].error is not None:
            return self._take(array[0])
        if self._broken or not data.lstrip().startswith(b"{"):
            return self._fail(unreadable(started=self._started))
        self._broken = True
        return ()

    def _take(self, chunk: Chunk) -> list[StreamEvent]:
        if chunk.error is not None:
            return self._fail(explain_error("The provider", error_in({"error": chunk.error})))
        out: list[StreamEvent] = []
        if not self._started:
            self._started = True
            self._model = chunk.model_version or ""
            out.append(Started(self._model))
        if chunk.usage_metadata is not None:
            self._usage = chunk.usage_metadata
        for candidate in chunk.candidates or ():
            if not candidate.index and not self._done:
                self._take_candidate(candidate, out)
        feedback = chunk.prompt_feedback
        if feedback is not None and feedback.block_reason:
            self._finish, self._blocked = feedback.block_reason, True
            self._notice = feedback.block_reason_message or self._notice
        return out

    def _take_candidate(self, candidate: Candidate, out: list[StreamEvent]) -> None:
        if candidate.content is not None:
            for part in candidate.content.parts or ():
                self._take_part(part, out)
                if self._done:
                    return
        if candidate.finish_reason:
            self._finish = candidate.finish_reason
            self._notice = candidate.finish_message or self._notice
        if candidate.grounding_metadata:
            found = parts.sources(candidate.grounding_metadata)
            self._sources += [source for source in found if source not in self._known]
            self._known.update(found)
            check_number(self._sources)
        if candidate.url_context_metadata:
            self._visited = candidate.url_context_metadata

    def _take_part(self, part: Part, out: list[StreamEvent]) -> None:
        if part.text is not None:
            self._take_text(part, part.text, out)
        elif part.function_call is not None:
            self._take_call(part.function_call, part.thought_signature or "", out)
        elif use := parts.server_call(part):
            self._add_server_call(use, out)
        elif result := parts.server_result(part, self._last_server_call):
            self._add(parts.Fixed(result), out)
        elif part.inline_data is not None:
            self._add(parts.Fixed(parts.media(part.inline_data)), out)

    def _take_text(self, part: Part, text: str, out: list[StreamEvent]) -> None:
        thought, signature = part.thought is True, part.thought_signature or ""
        if not text and not signature:
            return
        last = self._open[-1] if self._open else None
        fits = isinstance(last, parts.Run) and (last.thought == thought or not text)
        if isinstance(last, parts.Run) and fits and not (signature and last.signature):
            run = last
        else:
            run = parts.Run(thought)
            self._add(run, out)
        run.signature = run.signature or signature
        shown = run.text.add_odd(text)
        if shown:
            out.append(ReasoningPiece(shown) if run.thought else TextPiece(shown))

    def _take_call(self, wire: FunctionCall, signature: str, out: list[StreamEvent]) -> None:
        last = self._open[-1] if self._open else None
        if isinstance(last, parts.Call) and last.open and not wire.name:
            said = last.take(wire)
            if said:
                out.append(CallPiece(self._calls - 1, said))
            return
        if not wire.name:
            out += self._fail(unreadable(started=True))
            return
        call = parts.Call(wire, signature)
        call.id = self._unique(call.id)
        self._add(call, out)
        out.append(CallPiece(self._calls, call.take(wire), call.id, call.name))
        self._calls += 1

    def _unique(self, call: str) -> str:
        call = ids.fresh("call") if call in self._ids else call
        self._ids.add(call)
        return call

    def _add_server_call(self, use: ToolUse, out: list[StreamEvent]) -> None:
        use = replace(use, id=self._unique(use.id))
        self._last_server_call = use.id
        self._add(parts.Fixed(use), out)
        said = written(use.input)
        out.append(CallPiece(self._calls, said, use.id, use.name))
        self._calls += 1

    def _add(self, opened: _Open, out: list[StreamEvent]) -> None:
        """A new block begins, so the text before it is complete."""
        self._close(out)
        check_number(self._open)
        self._open.append(opened)

    def _close(self, out: list[StreamEvent]) -> None:
        last = self._open[-1] if self._open else None
        if isinstance(last, parts.Run):
            left = last.text.end()
            if left:
                out.append(ReasoningPiece(left) if last.thought else TextPiece(left))

    def _finished(self) -> list[StreamEvent]:
        out: list[StreamEvent] = []
        self._close(out)
        if pages := parts.visited(self._visited):
            self._add_server_call(pages[0], out)
            self._add(parts.Fixed(pages[1]), out)
        found = (opened.block() for opened in self._open)
        content: tuple[Block, ...] = tuple(block for block in found if block is not None)
        if self._sources:
            content = (*content, Sources(tuple(self._sources)))
        stop: StopReason = "refusal" if self._blocked else _STOPS.get(self._finish, "error")
        if stop == "end_turn" and tool_uses(content):
            stop = "tool_use"
        self._done = True
        notices = (self._notice,) if self._notice and stop in ("refusal", "error") else ()
        usage = _usage(self._usage)
        return [*out, Finished(content, stop, usage, self._model, self._finish, notices=notices)]

    def _fail(self, failed: Failed) -> list[StreamEvent]:
        self._done = True
        return [failed]


def _read_whole(body: bytes) -> Chunk | list[Chunk] | None:
    if not body.lstrip().startswith(b"["):
        try:
            return chunks.read(body)
        except REFUSALS:
            return second_look(body, Chunk, chunks.STREAMED)
    try:
        return chunks.read_list(body)
    except REFUSALS:
        return second_look(body, list[Chunk], chunks.STREAMED)


def _usage(counts: Counts) -> Usage:
    thoughts = count(counts.thoughts_token_count)
    fed = count(counts.tool_use_prompt_token_count)
    return Usage(
        input_tokens=count(counts.prompt_token_count) + fed,
        output_tokens=count(counts.candidates_token_count) + thoughts,
        cached_tokens=count(counts.cached_content_token_count),
        reasoning_tokens=thoughts,
    )
