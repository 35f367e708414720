"""Severity: high (H5, its kind). An MCP server writes small messages, or empty lines, as fast as it can."""

import asyncio
import os
import threading
from contextlib import suppress

import pytest

from bottega.mcp.lines import Incoming, Pipes
from bottega.mcp.stdio import _Tail  # pyright: ignore[reportPrivateUsage]

SECONDS = 0.6
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


async def turns_beside(reading: asyncio.Task[None]) -> int:
    """How often somebody else has a turn while that goes on, who would like it two hundred times a second."""
    turns = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while True:
                await asyncio.sleep(0.005)
                turns += 1
    reading.cancel()
    await asyncio.wait({reading})
    return turns


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
