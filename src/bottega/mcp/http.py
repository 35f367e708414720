"""A server at an address: the SDK's streamable HTTP, with a largest answer, our proxies and roots of trust.

What an answer holds is counted before the SDK decodes any of it.

The user chose the address, so it may be any, this machine's own too. Whatever is sent goes to that origin and to no
other, wherever a redirect leads; headers go only over https or to this machine.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.request import getproxies

import httpx2
from mcp.client.streamable_http import streamable_http_client

from bottega.fairness import FOREIGN_JSON
from bottega.mcp.channel import Surroundings, reason_to_refuse
from bottega.mcp.secrets import resolve
from bottega.mcp.server import McpServer, check_secure, destination_of
from bottega.origin import origin_of
from bottega.providers.http.address import proxy_for
from bottega.providers.http.connect import trusting
from bottega.providers.http.sse import Splitter, TooLong

if TYPE_CHECKING:
    from bottega.mcp.channel import Streams

_HEADERS = {"User-Agent": "bottega", "Accept-Encoding": "identity"}
_CONNECT = 15.0
_LONGER = 5.0
"""Seconds for which an answer is waited for here after whoever asked gave up."""
_REFUSED = 400
_TURN = 32
"""Pieces of an answer after which others on the event loop have their turn."""
_AT_ONCE = 8 * 1024
"""Bytes of a stream that are made events of at once."""
_PER_LINE = 5
"""What a line of a stream counts as among the values that are decoded for a person, even if nothing is in it."""
_RECONNECTED = 25_000
"""And what opening a stream again does: ten times a second are enough."""
_MOST_STREAMS = 64
"""Answers that come at the same time."""
_MOST_HELD = 4
"""How many of the largest may be unfinished at the same time."""
_LONGEST_HEADERS = 64 * 1024
_UNTIL: ContextVar[float] = ContextVar("bottega_mcp_until", default=inf)
"""When nobody waits any more for the answer to the request that this task makes."""
_EVENTS = "text/event-stream"


class Http:
    def __init__(self, name: str, server: McpServer, around: Surroundings) -> None:
        self.ended = asyncio.Event()
        self.roots = ()  # a folder here means nothing elsewhere
        self._url = server.url
        check_secure(name, server)
        place = destination_of(name, server)
        self._secrets = resolve(name, server.headers, lambda key: around.look_up(key, place))
        self._read = max(server.timeout, around.patience.start) + _LONGER
        self._largest = around.patience.largest
        self._trust = trusting(around.ca_file) if around.ca_file else True
        self._refused = 0
        self._fault = ""
        self._held = 0

    def tidy(self, text: str, longest: int | None = None) -> str:
        return self._secrets.without(text, longest)

    def detail(self) -> str:
        if self._fault:
            return self._fault
        if self._refused in (401, 403):
            return f"It refuses the request (HTTP {self._refused}): look at its `headers`."
        return f"It answers with HTTP {self._refused}." if self._refused else ""

    async def __aenter__(self) -> "Streams":
        proxy = proxy_for(self._url, getproxies()) or None
        client = httpx2.AsyncClient(
            headers={**_HEADERS, **self._secrets.values},
            timeout=httpx2.Timeout(_CONNECT, read=self._read),
            transport=_OneOrigin(
                httpx2.AsyncHTTPTransport(
                    verify=self._trust,
                    proxy=proxy,
                    limits=httpx2.Limits(max_connections=_MOST_STREAMS),
                ),
                origin_of(self._url),
                self._read,
            ),
            follow_redirects=False,
            trust_env=False,  # no netrc: only what the entry says goes along
            event_hooks={"response": [self._look]},
        )
        talk = streamable_http_client(
            self._url, http_client=client, max_sse_event_size=self._largest
        )
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(client)
            streams = await stack.enter_async_context(talk)
            self._stack = stack.pop_all()
        return streams

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._stack.__aexit__(exc_type, exc_val, exc_tb)

    async def _look(self, response: httpx2.Response) -> None:
        """Note a refusal, and bound what is read, whole or as events."""
        if response.request.method == "POST":
            self._refused = response.status_code if response.status_code >= _REFUSED else 0
            self._fault = ""
        # What was packed nevertheless stays so: unpacked, a few bytes could be any number.
        response.headers.pop("content-encoding", None)
        # One spelling, and UTF-8: what is counted here must be what is decoded there.
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        response.headers["content-type"] = kind
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = (_Events if kind == _EVENTS else _Whole)(stream, self)

    def over(self, size: int) -> bool:
        if size > self._largest:
            self._fault = f"It sent an answer of more than {self._largest:,} bytes."
        return size > self._largest

    def holds_too_much(self, more: int) -> bool:
        """Note how many bytes more, or fewer, of unfinished answers there are."""
        self._held += more
        if is_too_much := self._held > _MOST_HELD * self._largest:
            self._fault = (
                f"Its unfinished answers have more than {_MOST_HELD * self._largest:,} bytes."
            )
        return is_too_much

    async def is_crowded(self, message: bytes) -> bool:
        """Whether a message is not to be decoded; others may have to wait for those before them."""
        if fault := await reason_to_refuse(message):
            self._fault = f"It sent an answer {fault}."
        return bool(fault)


class _OneOrigin(httpx2.AsyncBaseTransport):
    """Carries requests to one origin, whoever asks for more, and for as long as somebody may wait for the answer."""

    def __init__(self, transport: httpx2.AsyncHTTPTransport, origin: str, patience: float) -> None:
        self._transport = transport
        self._origin = origin
        self._patience = patience

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if origin_of(str(request.url)) != self._origin:
            raise httpx2.UnsupportedProtocol("the request would go to another address")
        if sum(len(name) + len(value) for name, value in request.headers.raw) > _LONGEST_HEADERS:
            raise httpx2.LocalProtocolError("what the server wants to be told again is too long")
        if request.method == "POST":
            _UNTIL.set(asyncio.get_running_loop().time() + self._patience)
        elif request.method == "GET":  # a stream is opened, or opened again
            await FOREIGN_JSON.take(_RECONNECTED)
        async with _in_time():
            return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


@asynccontextmanager
async def _in_time() -> AsyncGenerator[None]:
    until = _UNTIL.get()
    try:
        async with asyncio.timeout_at(None if until == inf else until):
            yield
    except TimeoutError:
        raise httpx2.ReadTimeout("nobody waits for the answer any more") from None


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, http: Http) -> None:
        self._stream = stream
        self._http = http
        self._held = 0

    async def aclose(self) -> None:
        self._hold(0)
        await self._stream.aclose()

    def _hold(self, size: int) -> bool:
        """Note how much of an answer is kept until it is complete; False: with all others it is too much."""
        more, self._held = size - self._held, size
        return not self._http.holds_too_much(more)

    async def _pieces(self) -> AsyncIterator[bytes]:
        """What comes, a little at once; a few bytes of the network may be thousands of pieces, and others have their
        turn in between.
        """
        number = 0
        pieces = aiter(self._stream)
        while True:
            async with _in_time():
                piece = await anext(pieces, None)
            if piece is None:
                return
            for at in range(0, len(piece), _AT_ONCE):
                number += 1
                if number % _TURN == 0 or len(piece) > _AT_ONCE:
                    await asyncio.sleep(0)
                yield piece[at : at + _AT_ONCE]


class _Whole(_Counted):
    """One message: handed on once all of it was counted."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = bytearray()
        async for piece in self._pieces():
            body += piece
            if self._http.over(len(body)) or not self._hold(len(body)):
                raise httpx2.StreamError("the answer is too large")
        if await self._http.is_crowded(bytes(body)):
            raise httpx2.StreamError("the answer holds too much")
        self._hold(0)
        yield bytes(body)


class _Events(_Counted):
    """Messages as events: the end of each is handed on once it was counted; the SDK bounds its bytes."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        splitter = Splitter()
        try:
            async for piece in self._pieces():
                if lines := piece.count(b"\n") + piece.count(b"\r"):
                    await FOREIGN_JSON.take(lines * _PER_LINE)
                await self._count(splitter, piece)
                yield piece
        except httpx2.ReadTimeout as error:
            raise httpx2.SSEError(str(error)) from None
        await self._count(splitter, b"")

    async def _count(self, splitter: Splitter, piece: bytes) -> None:
        try:
            events = splitter.feed(piece) if piece else splitter.end()
        except TooLong:
            raise httpx2.SSEError("the event is too large") from None
        if not self._hold(splitter.held):
            raise httpx2.SSEError("the events are too large")
        for _, data in events:
            if await self._http.is_crowded(data):
                raise httpx2.SSEError("the event holds too much")
