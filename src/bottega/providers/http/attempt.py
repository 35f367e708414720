"""One try of a request: the answer's bytes in, our events out, exactly one end.

What goes wrong becomes a `Failed` in `end`; only cancellation is raised. `Started` is held back
until the answer says something: a try that fails before has shown nothing and can be repeated.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from bottega.fairness import BYTES_A_FIELD, FOREIGN_JSON, beside
from bottega.messages.json_size import MOST_ANSWER, MOST_CALLED, SMALL, at_most, members_of
from bottega.providers.http import faults
from bottega.providers.http.body import Body, read_up_to
from bottega.providers.http.connect import Transport
from bottega.providers.http.faults import Where
from bottega.providers.http.send import failure, refusal, send
from bottega.providers.http.sse import Splitter, TooLong
from bottega.providers.protocol.bounds import TooMuch
from bottega.providers.provider import (
    CallPiece,
    Decoder,
    Failed,
    Finished,
    ReasoningPiece,
    Started,
    StreamEvent,
    TextPiece,
    Wire,
    WireRequest,
)

if TYPE_CHECKING:
    import aiohttp

MAX_WHOLE = 32 * 1024 * 1024
"""Bytes of an answer that comes in one piece."""
MAX_WRITTEN = 8 * 1024 * 1024
"""Characters that a model writes in one answer: several times what the longest ones hold."""
MAX_STREAM = 256 * 1024 * 1024
"""Bytes of a stream, with all that is around the words, and media."""
MAX_NAMED = 512
"""Characters of the id or the name of a call, of a model's name and of the word for why it stopped."""
MAX_FINISHED = 64 * 1024 * 1024
"""Bytes of a whole answer with all that stands in it besides words: signatures, sources, media."""
_CROWD = 512
"""Lines in one piece: honest ones have a tenth."""
_PER_LINE = 5
"""What each is counted as where there are so many, among the values that are decoded for a person."""
LAST_BYTES = 0.1
"""Seconds to wait for the end of a finished answer, so that its connection can be used again."""

_SSE_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")


class Attempt:
    """Hand on what `read` returns until `end` is set, then close it."""

    def __init__(
        self, transport: Transport, wire: Wire, decoder: Decoder, sent: WireRequest, where: Where
    ) -> None:
        self.end: Finished | Failed | None = None
        self.spoke = False
        """Whether `read` has returned anything yet."""
        self._transport = transport
        self._wire = wire
        self._decoder = decoder
        self._sent = sent
        self._where = where
        self._splitter = Splitter()
        self._response: aiohttp.ClientResponse | None = None
        self._body: Body | None = None
        self._called = 0
        """About how many values the arguments of its calls have."""
        self._written = 0
        """Characters of words, thoughts and arguments."""
        self._came = 0
        """Bytes of the stream."""

    async def read(self) -> Sequence[StreamEvent]:
        """Wait for the next pieces and return them; sets `end` if the answer ended with them."""
        try:
            if self._body is None:
                return await self._open()
            return await self._pieces(self._body, b"")
        except (TooLong, TooMuch):
            self.end = faults.too_much(self._where)
        except Exception as error:
            self.end = failure(error, self._where)
            if self._response is None and self.end.code == "cut_off":
                self.end = msgspec.structs.replace(self.end, no_response=True)
        return ()

    async def settle(self) -> None:
        """After the end: let the last bytes come in, so that the connection can be used again."""
        response = self._response
        if response is None or response.connection is None:
            return
        try:
            async with asyncio.timeout(LAST_BYTES):
                while await response.content.readany():
                    pass
        except Exception:
            self.close()

    def close(self) -> None:
        """Drop the connection at once, unless the answer was read to its end."""
        response, self._response = self._response, None
        if response is None:
            return
        # A polite close would wait for the other side's goodbye: up to 30 seconds with TLS.
        if response.connection is not None and response.connection.transport is not None:
            response.connection.transport.abort()
        response.close()

    async def _open(self) -> Sequence[StreamEvent]:
        where, sent = self._where, self._sent
        response = await send(self._transport, where, sent.headers, sent.body)
        self._response = response
        if response.status >= 300:
            self.end = await refusal(response, self._wire, where)
            return ()
        body = self._body = Body(response)
        first = await body.read()
        match kind_of(response.headers.get("content-type", ""), first):
            case "stream":
                return await self._pieces(body, first)
            case "whole":
                whole = await read_up_to(MAX_WHOLE + 1, body, first)
                if len(whole) > MAX_WHOLE:
                    raise TooMuch
                await _count(whole)
                events = [*await beside(len(whole), self._decoder.whole, whole)]
                return await self._taken([*events, *self._decoder.end()]) or ()
            case "page":
                self.end = faults.not_an_answer(where, response.status)
                return ()

    async def _pieces(self, body: Body, piece: bytes) -> Sequence[StreamEvent]:
        feed, step = self._splitter.feed, self._decoder.step
        events: list[StreamEvent] = []
        while True:
            piece = piece or await body.read()
            self._came += len(piece)
            if self._came > MAX_STREAM:
                raise TooMuch
            if (lines := piece.count(b"\n")) > _CROWD:
                await FOREIGN_JSON.take(lines * _PER_LINE)
            for name, data in feed(piece) if piece else self._splitter.end():
                if len(data) > SMALL:
                    await _count(data)
                events += await beside(len(data), step, name, data)
            if not piece:
                events += await beside(self._came, self._decoder.end)
            if events and (taken := await self._taken(events)) is not None:
                return taken
            if not piece:
                self.end = faults.cut_off(self._where)
                return ()
            piece = b""

    def _weigh(self, event: StreamEvent) -> None:
        """Count what an event adds to the answer; refuse names that are none."""
        if type(event) is CallPiece:
            self._called += at_most(event.partial_json.encode("utf-8", "surrogatepass"))
            self._written += len(event.partial_json)
            if len(event.id) > MAX_NAMED or len(event.name) > MAX_NAMED:
                raise TooMuch
        elif type(event) is TextPiece or type(event) is ReasoningPiece:
            self._written += len(event.text)
        elif type(event) is Started and len(event.model) > MAX_NAMED:
            raise TooMuch

    async def _taken(self, events: list[StreamEvent]) -> list[StreamEvent] | None:
        """Move the end out of these events; None if what is left must still be held back."""
        for event in events:
            self._weigh(event)
        if self._called > MOST_CALLED or self._written > MAX_WRITTEN:
            raise TooMuch
        last = type(events[-1])
        if last is Finished:
            await beside(self._came, _bound, events[-1])
        if last is Finished or last is Failed:
            self.end = events.pop()  # pyright: ignore[reportAttributeAccessIssue]
            if last is Failed and not self.spoke and len(events) == 1:
                events.clear()
        elif last is Started and not self.spoke:
            return None
        self.spoke = self.spoke or bool(events)
        return events


def _bound(end: Any) -> None:
    """Before it is stored: what is said in a whole answer besides what was streamed."""
    if max(len(end.model), len(end.provider_stop)) > MAX_NAMED:
        raise TooMuch
    body = msgspec.json.encode(end.content)
    if len(body) > MAX_FINISHED:
        raise TooMuch
    if members_of(body, MOST_ANSWER + MOST_CALLED) > MOST_ANSWER + MOST_CALLED:
        raise TooMuch


async def _count(data: bytes) -> None:
    """Before it is decoded: a few bytes may be a million values."""
    members = await beside(len(data), members_of, data, MOST_ANSWER)
    if (
        members > MOST_ANSWER or at_most(data) > MOST_ANSWER + MOST_CALLED
    ):  # arguments are JSON in a text
        raise TooMuch
    if (cost := max(members, len(data) // BYTES_A_FIELD)) > SMALL:
        await FOREIGN_JSON.take(cost)


def kind_of(content_type: str, first: bytes) -> Literal["stream", "whole", "page"]:
    """What a body is, by its first bytes before its header, which proxies often get wrong."""
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return "whole"
    if start.startswith(b"<"):
        return "page"
    if start.startswith(_SSE_STARTS) or "event-stream" in content_type:
        return "stream"
    if "json" in content_type:
        return "whole"
    return "page" if start else "stream"
