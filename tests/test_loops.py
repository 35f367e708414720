"""Loops of tests leave nothing behind that was closed, and hide nothing that was not."""

import asyncio
import gc
import socket
from typing import Any

from tests.loops import Loop


def met(loop: Loop) -> tuple[asyncio.Transport, socket.socket]:
    """A connection with more to send than the other side, which reads nothing, has room for."""
    mine, theirs = socket.socketpair()
    making = loop.create_connection(asyncio.Protocol, sock=mine)
    transport, _ = loop.run_until_complete(making)
    transport.write(b"x" * 10_000_000)
    return transport, theirs


def test_what_was_closed_with_something_to_send_is_closed_with_its_loop() -> None:
    loop = Loop()
    transport, theirs = met(loop)
    transport.close()
    loop.close()
    del transport
    gc.collect()
    theirs.close()


def test_what_nobody_closed_is_left_for_the_collector_to_find() -> None:
    loop = Loop()
    transport, theirs = met(loop)
    loop.close()
    assert not transport.is_closing()
    left: Any = vars(transport)["_sock"]
    assert left.fileno() >= 0
    left.close()
    transport._sock = None  # type: ignore[attr-defined]
    theirs.close()
