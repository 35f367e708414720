"""Severity: high (H5, its kind). An MCP server writes small messages, or empty lines, as fast as it can."""

import asyncio
import os
import socket
import threading
from contextlib import suppress

import pytest

from bottega.mcp.lines import Incoming, Pipes
from bottega.mcp.server import McpServer
from bottega.mcp.stdio import _Tail  # pyright: ignore[reportPrivateUsage]
from tests.attacks.turns import SECONDS, turns_beside
from tests.mcp.conftest import Staged

FLOODS = {
    "empty lines": b"\n",
    "notifications": b'{"jsonrpc":"2.0","method":"x"}\n',
    "progress": b'{"jsonrpc":"2.0","method":"notifications/progress",'
    b'"params":{"progressToken":1,"progress":1}}\n',
    "answers": b'{"jsonrpc":"2.0","id":7,"result":{}}\n',
}


def flooded(line: bytes) -> int:
    """The end to read from of a pipe that somebody fills until it is closed."""
    ours, theirs = os.pipe()

    def write() -> None:
        with suppress(OSError):
            while True:
                os.write(theirs, line * (60_000 // len(line)))
        os.close(theirs)

    threading.Thread(target=write, daemon=True).start()
    return ours


@pytest.mark.parametrize("kind", FLOODS)
async def test_others_have_their_turns_while_a_server_floods_its_output(kind: str) -> None:
    unread, into = os.pipe()
    pipes = Pipes(into, flooded(FLOODS[kind]), 1 << 20)
    await pipes.open()
    taken = 0

    async def read() -> None:
        nonlocal taken
        async for _ in Incoming(pipes, asyncio.Event()):
            taken += 1

    turns = await turns_beside(asyncio.create_task(read()))
    pipes.close()
    pipes.close_input()
    os.close(unread)
    assert turns > 30
    assert taken < 2_000 * SECONDS


async def test_others_have_their_turns_while_it_floods_its_last_words() -> None:
    tail = _Tail()
    tail.follow(flooded(b"never mind "))
    reading = asyncio.create_task(asyncio.sleep(SECONDS))
    assert await turns_beside(reading) > 30
    await tail.end()
    assert "never mind" in tail.text()


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_others_have_their_turns_while_it_sends_a_byte_at_a_time_over_http(
    stage: Staged, kind: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:

        def answer() -> None:
            connection, _ = place.accept()
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(
                    f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
                )
                while True:
                    connection.sendall(b"1\r\nx\r\n" * 10_000)

        threading.Thread(target=answer, daemon=True).start()
        here = stage({"hub": McpServer(url=f"http://127.0.0.1:{place.getsockname()[1]}/mcp")})
        assert await turns_beside(asyncio.create_task(here.look())) > 30


NOTHING = {
    "names": b"id:1\n\n",
    "kinds": b"event:x\n\n",
    "pauses": b"retry:1\n\n",
    "comments": b":\n",
    "longer comments": b":" + b"x" * 30 + b"\n",
    "empty lines": b"\n",
    "old line ends": b"\r",
    "fields": b"a\n",
    "empty data": b"data:\n\n",
}


@pytest.mark.parametrize("kind", NOTHING)
async def test_others_have_their_turns_while_a_stream_is_full_of_nothing(
    stage: Staged, kind: str
) -> None:
    piece = NOTHING[kind] * (64_000 // len(NOTHING[kind]))
    with socket.create_server(("127.0.0.1", 0)) as place:

        def flood(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                connection.recv(65_536)
                head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                connection.sendall(head.encode())
                while True:
                    connection.sendall(piece)

        def answer() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=flood, args=place.accept()[:1], daemon=True).start()

        threading.Thread(target=answer, daemon=True).start()
        address = f"http://127.0.0.1:{place.getsockname()[1]}/mcp"
        here = stage({f"hub{number}": McpServer(url=address) for number in range(4)})
        assert await turns_beside(asyncio.create_task(here.look())) > 30
