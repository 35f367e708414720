"""Loops of tests leave nothing behind that was closed, and tell what was not."""

import asyncio
import gc
import socket

import pytest

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


def test_what_nobody_closed_is_told_when_its_loop_ends() -> None:
    loop = Loop()
    transport, theirs = met(loop)
    with pytest.warns(ResourceWarning, match="nobody closed <_SelectorSocketTransport"):
        loop.close()
    assert transport.is_closing()
    theirs.close()
