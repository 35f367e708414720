"""A provider on this machine that answers as a test scripts it, byte for byte and step by step.

A reply's steps are bytes to send, a `Gate` at which it waits for the test, `CUT` (the connection
breaks) and `HANG` (it stays silent until the client leaves). Nothing here waits for time to pass.
"""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

CUT: Literal["cut"] = "cut"
HANG: Literal["hang"] = "hang"


class Gate:
    """The reply says when it is here (`reached`), and goes on when the test says so (`opened`)."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()


Step = bytes | Gate | Literal["cut", "hang"]

SSE = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


@dataclass
class Reply:
    steps: Sequence[Step] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: dict(SSE))
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client was gone before the reply was through."""


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    port: int
    """The client's: the same for two requests over one connection."""


@dataclass
class Server:
    url: str
    requests: list[Seen]


@asynccontextmanager
async def serving(*replies: Reply, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Answer each request with the next reply, the last one again and again."""
    waiting = list(replies)
    server = Server("", [])

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        server.requests.append(
            Seen(
                request.method,
                request.path_qs,
                {name.lower(): value for name, value in request.headers.items()},
                await request.read(),
                request.transport.get_extra_info("peername")[1],
            )
        )
        reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        try:
            return await _play(reply, request)
        except (asyncio.CancelledError, ConnectionError):
            reply.left.set()
            raise

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    server.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()


async def _play(reply: Reply, request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    response = web.StreamResponse(status=reply.status, headers=reply.headers)
    if list(reply.steps[:1]) != [CUT]:
        await response.prepare(request)
    for step in reply.steps:
        match step:
            case bytes():
                await response.write(step)
            case Gate():
                step.reached.set()
                await step.opened.wait()
            case "cut":
                request.transport.abort()
                return response
            case "hang":
                await asyncio.Event().wait()
    await response.write_eof()
    return response


def squeezed(*pieces: bytes) -> bytes:
    return gzip.compress(b"".join(pieces))


@dataclass
class Proxy:
    url: str
    requests: list[str]
    """The first line of every request that came."""
    logins: list[str]


Meeting = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def meeting(serve: Meeting) -> AsyncIterator[int]:
    """A server at the port that is given: whoever comes, even in its last moment, is gone when it is."""
    writers: set[asyncio.StreamWriter] = set()
    tasks: set[asyncio.Task[Any]] = set()
    over = False

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        if over:
            writer.transport.abort()
            return
        if task := asyncio.current_task():
            tasks.add(task)
        await serve(reader, writer)

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        over = True
        server.close()
        for task in tasks:
            task.cancel()
        for writer in writers:
            writer.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(10):  # what was accepted just now is met, and sent away
            await asyncio.sleep(0)


@asynccontextmanager
async def proxying(port: int, *, login: str = "", refuse: int = 0) -> AsyncIterator[Proxy]:
    """An HTTP proxy that knows one way only, to `port` here, whatever host is asked for."""
    proxy = Proxy("", [], [])

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, _, rest = head.decode().partition("\r\n")
        proxy.requests.append(first)
        given = [line for line in rest.split("\r\n") if line.startswith("Proxy-Authorization: ")]
        proxy.logins += [line.partition(": ")[2] for line in given]
        status = 407 if login and not given else refuse
        if status:
            writer.write(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode())
            writer.close()
            return
        onward, back = await asyncio.open_connection("127.0.0.1", port)
        try:
            if first.startswith("CONNECT "):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                method, url, version = first.split(" ")
                path = "/" + url.split("/", 3)[3]
                back.write(f"{method} {path} {version}\r\n{rest}".encode())
            await asyncio.gather(_pump(reader, back), _pump(onward, writer))
        finally:
            back.transport.abort()  # a pump that is cancelled before its first step closes nothing

    async with meeting(serve) as here:
        proxy.url = f"http://127.0.0.1:{here}"
        yield proxy


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
    except ConnectionError:
        pass
    finally:
        writer.close()
