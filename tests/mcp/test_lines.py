"""Messages over pipes, where the other side leaves in the middle."""

import asyncio
import os

import anyio
import mcp_types as wire
import pytest
from mcp.shared.message import SessionMessage

from bottega.mcp.lines import Incoming, Outgoing, Pipes

PING = wire.JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")


class Ends:
    """The program's ends of the pipes."""

    def __init__(self, largest: int = 1_000) -> None:
        self.stdin, stdin = os.pipe()
        stdout, self.stdout = os.pipe()
        self.ended = asyncio.Event()
        self.pipes = Pipes(stdin, stdout, largest)
        self.incoming = Incoming(self.pipes, self.ended)
        self.outgoing = Outgoing(self.pipes, self.ended)


async def test_lines_come_in_any_pieces() -> None:
    ends = Ends()
    await ends.pipes.open()
    text = PING.model_dump_json().encode() + b"\n"
    os.write(ends.stdout, b"\n" + text[:7])
    reading = asyncio.create_task(ends.incoming.receive())
    await asyncio.sleep(0)
    os.write(ends.stdout, text[7:] + text)

    first, second = await reading, await ends.incoming.receive()
    os.close(ends.stdout)
    with pytest.raises(anyio.EndOfStream):
        await ends.incoming.receive()

    assert isinstance(first, SessionMessage)
    assert isinstance(second, SessionMessage)
    assert (first.message, second.message) == (PING, PING)
    assert ends.ended.is_set()
    os.close(ends.stdin)
    ends.pipes.close_input()
    ends.pipes.close()
    await asyncio.sleep(0)


async def test_who_does_not_listen_any_more_is_noticed() -> None:
    ends = Ends()
    await ends.pipes.open()
    os.close(ends.stdin)

    async def talk() -> None:
        while True:
            await ends.outgoing.send(SessionMessage(PING))

    with pytest.raises(anyio.BrokenResourceError):
        await talk()

    ends.pipes.close_input()
    ends.pipes.close()
    os.close(ends.stdout)
    await asyncio.sleep(0)


async def test_what_was_not_read_is_dropped_at_the_end() -> None:
    ends = Ends()
    await ends.pipes.open()
    big = wire.JSONRPCRequest(jsonrpc="2.0", id=1, method="x" * 1_000_000)
    sending = asyncio.create_task(ends.outgoing.send(SessionMessage(big)))
    await asyncio.sleep(0)

    assert not sending.done()
    ends.pipes.close_input()
    await sending

    ends.pipes.close()
    os.close(ends.stdin)
    os.close(ends.stdout)
    await asyncio.sleep(0)
