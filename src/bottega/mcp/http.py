"""A server at an address: the SDK's streamable HTTP, with a largest answer, our proxies and roots of trust.

What an answer holds is counted before the SDK decodes any of it.

The user chose the address, so it may be any, this machine's own too. Whatever is sent goes to that origin and to no
other, wherever a redirect leads; headers go only over https or to this machine.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.request import getproxies

import httpx2
from mcp.client.streamable_http import streamable_http_client

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
_REFUSED = 400
_TURN = 32
"""Pieces of an answer after which others on the event loop have their turn."""
_EVENTS = "text/event-stream"


class Http:
    def __init__(self, name: str, server: McpServer, around: Surroundings) -> None:
        self.ended = asyncio.Event()
        self.roots = ()  # a folder here means nothing elsewhere
        self._url = server.url
        check_secure(name, server)
        place = destination_of(name, server)
        self._secrets = resolve(name, server.headers, lambda key: around.look_up(key, place))
        self._read = max(server.timeout, around.patience.start) + 5
        self._largest = around.patience.largest
        self._trust = trusting(around.ca_file) if around.ca_file else True
        self._refused = 0
        self._fault = ""

    def tidy(self, text: str) -> str:
        return self._secrets.without(text)

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
                httpx2.AsyncHTTPTransport(verify=self._trust, proxy=proxy), origin_of(self._url)
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

    async def is_crowded(self, message: bytes) -> bool:
        """Whether a message is not to be decoded; others may have to wait for those before them."""
        if fault := await reason_to_refuse(message):
            self._fault = f"It sent an answer {fault}."
        return bool(fault)


class _OneOrigin(httpx2.AsyncBaseTransport):
    """Carries requests to one origin, whoever asks for more."""

    def __init__(self, transport: httpx2.AsyncHTTPTransport, origin: str) -> None:
        self._transport = transport
        self._origin = origin

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if origin_of(str(request.url)) != self._origin:
            raise httpx2.UnsupportedProtocol("the request would go to another address")
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, http: Http) -> None:
        self._stream = stream
        self._http = http

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def _pieces(self) -> AsyncIterator[bytes]:
        """What comes; a few bytes of the network may be thousands of pieces, and others have their turn in between."""
        number = 0
        async for piece in self._stream:
            number += 1
            if number % _TURN == 0:
                await asyncio.sleep(0)
            yield piece


class _Whole(_Counted):
    """One message: handed on once all of it was counted."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = bytearray()
        async for piece in self._pieces():
            body += piece
            if self._http.over(len(body)):
                raise httpx2.StreamError("the answer is too large")
        if await self._http.is_crowded(bytes(body)):
            raise httpx2.StreamError("the answer holds too much")
        yield bytes(body)


class _Events(_Counted):
    """Messages as events: the end of each is handed on once it was counted; the SDK bounds its bytes."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        splitter = Splitter()
        async for piece in self._pieces():
            await self._count(splitter, piece)
            yield piece
        await self._count(splitter, b"")

    async def _count(self, splitter: Splitter, piece: bytes) -> None:
        try:
            events = splitter.feed(piece) if piece else splitter.end()
        except TooLong:
            raise httpx2.SSEError("the event is too large") from None
        for _, data in events:
            if await self._http.is_crowded(data):
                raise httpx2.SSEError("the event holds too much")
