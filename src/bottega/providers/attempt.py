"""One try of a request: the answer's bytes in, our events out, exactly one end.

What goes wrong becomes a `Failed` in `end`; only cancellation is raised. `Started` is held back
until the answer says something: a try that fails before has shown nothing and can be repeated.
"""

import asyncio
import io
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from bottega.errors import Problem
from bottega.providers import faults
from bottega.providers.connect import Transport
from bottega.providers.faults import Where
from bottega.providers.provider import (
    Decoder,
    Failed,
    Finished,
    Started,
    StreamEvent,
    Wire,
    WireRequest,
)
from bottega.providers.sse import Splitter, TooLong

if TYPE_CHECKING:
    import aiohttp

log = logging.getLogger(__name__)

MAX_WHOLE = 64 * 1024 * 1024
"""Bytes of an answer that comes in one piece."""
MAX_ERROR = 256 * 1024
"""Bytes that are read of an error's body."""
LARGE_BODY = 1024 * 1024
"""aiohttp sends a body above this in parts only if it comes as a file."""
LAST_BYTES = 0.1
"""Seconds to wait for the end of a finished answer, so that its connection can be used again."""

_SSE_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")


class TooMuch(ValueError):
    """An answer in one piece is larger than `MAX_WHOLE`."""


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

    async def read(self) -> Sequence[StreamEvent]:
        """Wait for the next pieces and return them; sets `end` if the answer ended with them."""
        try:
            if self._response is None:
                return await self._open()
            return await self._pieces(self._response, b"")
        except Exception as error:
            self.end = self._failure(error)
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
        if self._where.proxy and not self._where.proxy.startswith(("http://", "https://")):
            self.end = faults.no_proxy(self._where)
            return ()
        response = self._response = await self._post()
        if response.status >= 300:
            self.end = await self._refusal(response)
            return ()
        first = await response.content.readany()
        match kind_of(response.headers.get("content-type", ""), first):
            case "stream":
                return await self._pieces(response, first)
            case "whole":
                body = await _rest(response, first, MAX_WHOLE + 1)
                if len(body) > MAX_WHOLE:
                    raise TooMuch
                return self._taken([*self._decoder.whole(body), *self._decoder.end()]) or ()
            case "page":
                self.end = faults.not_an_answer(self._where, response.status)
                return ()

    async def _post(self) -> "aiohttp.ClientResponse":
        import aiohttp

        sent, timeouts = self._sent, self._where.timeouts
        return await self._transport.session().post(
            sent.url,
            data=sent.body if len(sent.body) < LARGE_BODY else io.BytesIO(sent.body),
            headers=sent.headers,
            proxy=self._where.proxy or None,
            allow_redirects=False,  # it would carry the key to wherever it points
            timeout=aiohttp.ClientTimeout(
                total=timeouts.total, connect=timeouts.connect, sock_read=timeouts.idle
            ),
        )

    async def _pieces(
        self, response: "aiohttp.ClientResponse", piece: bytes
    ) -> Sequence[StreamEvent]:
        read, feed, step = response.content.readany, self._splitter.feed, self._decoder.step
        events: list[StreamEvent] = []
        while True:
            piece = piece or await read()
            for name, data in feed(piece) if piece else self._splitter.end():
                events += step(name, data)
            if not piece:
                events += self._decoder.end()
            if events and (taken := self._taken(events)) is not None:
                return taken
            if not piece:
                self.end = faults.cut_off(self._where)
                return ()
            piece = b""

    def _taken(self, events: list[StreamEvent]) -> list[StreamEvent] | None:
        """Move the end out of these events; None if what is left must still be held back."""
        last = type(events[-1])
        if last is Finished or last is Failed:
            self.end = events.pop()  # pyright: ignore[reportAttributeAccessIssue]
            if last is Failed and not self.spoke and len(events) == 1:
                events.clear()
        elif last is Started and not self.spoke:
            return None
        self.spoke = self.spoke or bool(events)
        return events

    async def _refusal(self, response: "aiohttp.ClientResponse") -> Failed:
        where, status = self._where, response.status
        if status == 407:
            return faults.proxy_refused(where, status)
        if status < 400:
            return faults.moved(where, status, response.headers.get("location", ""))
        try:
            body = await _rest(response, b"", MAX_ERROR)
        except Exception:
            body = b""
        headers = {name.lower(): value for name, value in response.headers.items()}
        return self._wire.explain(status, body, headers)

    def _failure(self, error: Exception) -> Failed:
        where = self._where
        if isinstance(error, Problem):
            return Failed(error.message, "unreachable", hint=error.hint)
        if isinstance(error, TooLong | TooMuch):
            return faults.too_much(where)
        known = faults.describe(error, where)
        if known is None:
            log.error("The answer of %s could not be read", where.place, exc_info=error)
            return faults.unreadable(where)
        return known


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


async def _rest(response: "aiohttp.ClientResponse", first: bytes, limit: int) -> bytes:
    parts, size = [first], len(first)
    while size < limit and (piece := await response.content.readany()):
        parts.append(piece)
        size += len(piece)
    return b"".join(parts)
