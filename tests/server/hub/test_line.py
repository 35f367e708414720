"""The connection below a socket: who does not read is waited for, and then cut, whatever its buffer holds."""

import asyncio
import socket as sockets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from bottega.server.hub.line import EXTENSION, Line


class Quick(Line):
    patience = 0.5


class Chatty:
    """An application that writes to every socket until it is full, and remembers how that ended."""

    def __init__(self, text: bytes = b'"' + b"x" * 10_000 + b'"') -> None:
        self._text = text
        self.wrote = 0
        self.lines: list[Line] = []
        self.ended: asyncio.Queue[BaseException | None] = asyncio.Queue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = scope["extensions"][EXTENSION]
        self.lines.append(line)
        await receive()
        await send({"type": "websocket.accept"})
        if scope["path"] == "/quiet":
            while (await receive())["type"] != "websocket.disconnect":
                pass
            self.ended.put_nowait(None)
            return
        try:
            while True:
                await line.write(self._text)
                self.wrote += len(self._text)
                await asyncio.sleep(0)
        except ClientDisconnected as gone:
            self.ended.put_nowait(gone)


@asynccontextmanager
async def served(app: Chatty, **options: float) -> AsyncGenerator[str]:
    with sockets.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            app, ws=Quick, lifespan="off", log_config=None, ws_per_message_deflate=False, **options
        )  # type: ignore[arg-type]
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        async with asyncio.timeout(30):
            await serving


@asynccontextmanager
async def deaf(address: str, path: str) -> AsyncGenerator[asyncio.StreamWriter]:
    """A client that opens a socket and never reads again."""
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**10)
    request = (
        f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    writer.write(request.encode())
    await reader.readuntil(b"\r\n\r\n")
    assert isinstance(writer.transport, asyncio.ReadTransport)
    writer.transport.pause_reading()
    try:
        yield writer
    finally:
        writer.transport.abort()


async def test_who_does_not_read_is_written_to_no_further_and_cut_after_a_while() -> None:
    app = Chatty()
    async with served(app) as address, deaf(address, "/"):
        async with asyncio.timeout(10):
            assert isinstance(await app.ended.get(), ClientDisconnected)
        assert app.wrote < 12_000_000  # what this machine's own buffers take, and no more


async def test_who_does_not_answer_a_ping_is_cut_though_its_buffer_is_full() -> None:
    app = Chatty()
    Quick.patience = 60
    try:
        async with (
            served(app, ws_ping_interval=0.1, ws_ping_timeout=0.2) as address,
            deaf(address, "/"),
            deaf(address, "/quiet"),
            asyncio.timeout(10),
        ):
            ends = [await app.ended.get() for _ in range(2)]
    finally:
        Quick.patience = 0.5
    assert len(ends) == 2


async def test_the_end_of_the_server_does_not_wait_for_who_does_not_read() -> None:
    app = Chatty()
    Quick.patience = 60
    try:
        async with served(app) as address:
            async with deaf(address, "/"):
                while not app.lines or app.lines[0].writable.is_set():
                    await asyncio.sleep(0.01)
            async with deaf(address, "/"):
                while len(app.lines) < 2 or app.lines[1].writable.is_set():
                    await asyncio.sleep(0.01)
                for line in app.lines:
                    line.shutdown()
                async with asyncio.timeout(30):
                    while app.ended.qsize() < 2:
                        await asyncio.sleep(0.01)
    finally:
        Quick.patience = 0.5


async def test_who_reads_slowly_gets_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Quick, "patience", 60)
    app = Chatty()
    async with (
        served(app) as address,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{address}/") as socket,
    ):
        for _ in range(200):
            message = await socket.receive()
            assert len(message.data) == 10_002
            await asyncio.sleep(0.002)
    assert app.wrote >= 200 * 10_002


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 200_000])
async def test_a_frame_of_any_size_arrives_whole(size: int) -> None:
    app = Chatty(b"x" * size)
    async with (
        served(app) as address,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{address}/") as socket,
    ):
        for _ in range(3):
            message = await socket.receive()
            assert message.type == aiohttp.WSMsgType.TEXT
            assert message.data == "x" * size


async def test_who_goes_is_gone_for_whoever_writes() -> None:
    app = Chatty()
    async with served(app) as address:
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}/") as socket:
            await socket.close()
        async with asyncio.timeout(30):
            assert isinstance(await app.ended.get(), ClientDisconnected)
    with pytest.raises(ClientDisconnected):
        app.lines[0].write_now(b"x")


async def test_each_ping_brings_a_heartbeat_that_a_page_can_hear() -> None:
    async with (
        served(Chatty(), ws_ping_interval=0.05, ws_ping_timeout=5) as address,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{address}/quiet") as socket,
        asyncio.timeout(10),
    ):
        for _ in range(3):
            assert await socket.receive_json() == {"type": "heartbeat"}
