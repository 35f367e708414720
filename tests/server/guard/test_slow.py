"""Those who send much, slowly or without end: they are refused, and nobody else notices."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from bottega.server.guard import bodies
from bottega.server.guard.bodies import bounded
from bottega.server.guard.impatient import Impatient
from bottega.server.problems import Halt
from tests.server.guard.raw import answer, connect
from tests.server.serving import Serving

MEGABYTE = 1_000_000


def rss(pid: int) -> int:
    """The bytes that a process has in memory, at its highest since the mark was last set."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def begin(serving: Serving, *lines: str) -> tuple[str, ...]:
    host = serving.address.removeprefix("http://")
    return ("POST /api/sign-in HTTP/1.1", f"Host: {host}", *lines)


def test_a_body_of_100_mb_is_refused_and_kept_nowhere(shared: Serving) -> None:
    before = rss(shared.pid)
    lines = begin(shared, f"Content-Length: {100 * MEGABYTE}")
    with connect(shared) as wire:
        wire.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        for _ in range(100):
            wire.sendall(b"x" * MEGABYTE)
        received = wire.recv(65536)
    assert b" 413 " in received.split(b"\r\n")[0]
    assert b"too_large" in received
    assert rss(shared.pid) - before < 20 * MEGABYTE


def test_a_body_that_does_not_say_its_length_is_counted(shared: Serving) -> None:
    before = rss(shared.pid)
    piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    with connect(shared) as wire:
        lines = begin(shared, "Transfer-Encoding: chunked", "Content-Type: application/json")
        wire.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        sent = 0
        wire.settimeout(0)
        received = b""
        ends = time.monotonic() + 20
        while b"too_large" not in received and sent < 100 * MEGABYTE and time.monotonic() < ends:
            try:
                wire.settimeout(0.05)
                sent += len(piece) if wire.sendall(piece) is None else 0
                wire.settimeout(0.0)
                received += wire.recv(65536)
            except (BlockingIOError, TimeoutError):
                continue
    assert b" 413 " in received.split(b"\r\n")[0]
    assert sent < 20 * MEGABYTE
    assert rss(shared.pid) - before < 20 * MEGABYTE


async def test_those_who_never_end_their_request_hold_nobody_up(shared: Serving) -> None:
    waiting = [connect(shared) for _ in range(200)]
    try:
        for n, wire in enumerate(waiting):
            lines = begin(shared, "Content-Length: 100") if n % 2 else ("GET / HTTP/1.1", "X: ")
            wire.sendall("".join(f"{line}\r\n" for line in lines).encode())
        async with shared.client() as client, asyncio.timeout(10):
            assert (await client.get("/api/me"))["name"] == "host"
    finally:
        for wire in waiting:
            wire.close()


async def test_a_body_that_comes_too_slowly_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PATIENCE", 0.05)

    async def never() -> dict[str, str]:
        await asyncio.Event().wait()
        raise AssertionError

    receive = bounded(never, {b"content-length": b"10"}, 100)
    with pytest.raises(Halt) as refused:
        await receive()
    assert (refused.value.status_code, refused.value.code) == (408, "too_slow")


async def test_the_end_of_a_client_is_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "PATIENCE", 0.05)
    left = asyncio.Event()
    pieces = [{"type": "http.request", "body": b"x", "more_body": False}]

    async def client() -> dict[str, object]:
        if pieces:
            return pieces.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    receive = bounded(client, {b"content-length": b"1"}, 100)
    assert (await receive())["body"] == b"x"
    last = asyncio.ensure_future(receive())
    await asyncio.wait({last}, timeout=0.2)
    assert not last.done()
    left.set()
    assert (await last)["type"] == "http.disconnect"


class Hasty(Impatient):
    patience = 0.3


async def ready(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        await receive()
        await asyncio.sleep(Hasty.patience * 2)
        await send({"type": "websocket.send", "text": "still here"})
        return
    if scope["path"] == "/slow":
        await asyncio.sleep(Hasty.patience * 2)
    words = b"" if scope["path"] == "/empty" else b"ok"
    length = (b"content-length", b"%d" % len(words))
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": words})


@asynccontextmanager
async def hasty() -> AsyncIterator[tuple[str, int]]:
    config = uvicorn.Config(
        ready, port=0, http=Hasty, ws="websockets-sansio", log_config=None, lifespan="off"
    )
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
    running = asyncio.create_task(server._serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        await running


@pytest.mark.parametrize("dripped", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
async def test_a_request_that_is_never_finished_is_cut_off(dripped: bytes) -> None:
    async with hasty() as place, asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(*place)
        begun = time.monotonic()
        for letter in dripped:
            writer.write(bytes([letter]))
        assert await reader.read() == b""
        assert time.monotonic() - begun < 5
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def test_a_connection_is_cut_off_in_its_second_request_too() -> None:
    async with hasty() as place, asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(*place)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT")
        assert (await reader.read()).endswith(b"ok")
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def test_what_follows_an_answer_without_end_is_cut_off() -> None:
    async with hasty() as place, asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(*place)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
        assert (await reader.read()).endswith(b"ok")
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def test_who_is_being_answered_has_all_the_time_and_so_have_sockets() -> None:
    async with hasty() as (host, port), asyncio.timeout(10), aiohttp.ClientSession() as session:
        async with session.get(f"http://{host}:{port}/slow") as slow:
            assert await slow.text() == "ok"
        async with session.ws_connect(f"ws://{host}:{port}/ws") as socket:
            assert await socket.receive_str() == "still here"


def test_raw_answers_are_read_to_their_end(shared: Serving) -> None:
    with connect(shared) as wire:
        host = shared.address.removeprefix("http://")
        wire.sendall(
            f"GET /healthz-not HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        )
        assert answer(wire)[0] == 404


async def test_a_client_that_goes_while_it_is_refused_is_no_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with hasty() as place, asyncio.timeout(10):
        with socket.create_connection(place) as wire:
            wire.sendall(b"POST /empty HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
        # It has gone before the loop had a turn: the answer is what tells the system so.
        await asyncio.sleep(0.1)
    assert not [each for each in caplog.records if each.exc_info]
