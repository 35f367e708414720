"""The connection below a socket: text frames out of bytes, and an end for who does not read.

Waiting for a write is all the backpressure there is: nothing is queued here but what the connection itself holds, which
is bounded, pongs included. A connection on which nothing goes out for 15 s is cut, whatever is still in its buffer.
Frames without a message of their own (pings, pongs, what continues another) are counted: who sends too many is cut too.
"""

import asyncio
import socket
from asyncio.transports import BaseTransport
from collections.abc import Hashable
from contextlib import suppress
from typing import cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import State

from bottega.server.following.rate import Rate
from bottega.server.guard.connections import Seat
from bottega.server.guard.impatient import Config
from bottega.server.guard.progress import Progress
from bottega.server.guard.turns import Portions, Turns, wired
from bottega.server.hub.told import HEARTBEAT

PING = 5.0
"""Seconds between two heartbeats, each with a ping of the protocol, and …"""
PONG = 10.0
"""… for the answer to one."""
PATIENCE = PING + PONG
"""Seconds for which a client may read nothing."""

EXTENSION = "bottega.line"
"""Under this name a socket's scope holds its line."""

_UNSENT = 128 * 1024
"""Bytes that the system takes ahead of what was sent: more would only make pings late."""

EMPTY_PER_SECOND, EMPTY_BURST = 100, 1000
"""Frames without a message of their own; who sends more is cut."""
FRAGMENTS = 1000
"""Frames that one message may come in."""
FAREWELL = 4096
"""Bytes that are parsed after we have closed, to find the client's own close in; the rest is thrown away."""


class Line(WebSocketsSansIOProtocol, Portions):
    patience = PATIENCE
    portion = 64 * 1024
    piece = 512  # a frame may have six bytes
    seat: Seat | None = None
    """The connection's place among those that there may be."""
    _paused_at = 0.0
    _moved_at = 0.0
    _came_late = 0
    _progress: Progress

    def connection_made(self, transport: BaseTransport) -> None:
        under = wired(cast("asyncio.Transport", transport))
        super().connection_made(under)
        self.close_timeout = 2.0
        self.turns = self.config.turns if isinstance(self.config, Config) else Turns()
        self._empty = Rate(EMPTY_PER_SECOND, EMPTY_BURST)
        self._progress = Progress(self.wire, self.patience, self._went_out)
        if connection := transport.get_extra_info("socket"):
            with suppress(OSError, AttributeError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)

    def connection_lost(self, exc: Exception | None) -> None:
        self._progress.stop()
        if self.seat:
            self.seat.leave()
        super().connection_lost(exc)

    @property
    def sender(self) -> Hashable:
        return self.seat.sender if self.seat else None

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            extensions: dict[str, object] = self.scope["extensions"]  # pyright: ignore
            extensions[EXTENSION] = self

    @property
    def unread(self) -> int:
        """Frames that came in and wait to be looked at."""
        return self.queue.qsize()

    @property
    def is_free(self) -> bool:
        """Whether a write would go out at once."""
        return self.writable.is_set() and not self._is_over()

    async def write(self, text: bytes) -> None:
        """Send a text frame, once the client has read enough of what went before."""
        while not self.writable.is_set():
            try:
                async with asyncio.timeout_at(self._paused_at + self.patience):
                    await self.writable.wait()
            except TimeoutError:
                self.abort()
                raise ClientDisconnected from None
        self.write_now(text)

    def write_now(self, text: bytes) -> None:
        if self._is_over():
            raise ClientDisconnected
        self.transport.write(_header(len(text)) + text)

    def abort(self) -> None:
        """Cut the connection, unsent bytes and all."""
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._paused_at = self.loop.time()
        self._progress.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._progress.went_out()
        self._went_out()

    def _went_out(self) -> None:
        self._moved_at = self.loop.time()

    def data_received(self, data: bytes) -> None:
        if self.close_sent:
            self._came_late += len(data)
            if self._came_late > FAREWELL:
                return
        if self.writable.is_set():  # else it would be no sign that what goes out is read
            self._moved_at = self.loop.time()
        super().data_received(data)

    def handle_ping(self) -> None:
        pong = b"".join(self.conn.data_to_send())
        if self.writable.is_set():  # who reads no pongs gets no more of them
            self.transport.write(pong)
        self._count_empty()

    def handle_pong(self, event: Frame) -> None:
        super().handle_pong(event)
        self._count_empty()

    def handle_cont(self, event: Frame) -> None:
        super().handle_cont(event)
        self._count_empty()
        if len(self.frames) > FRAGMENTS:
            self.abort()

    def _count_empty(self) -> None:
        if self._empty.owed():
            self.abort()

    def send_keepalive_ping(self) -> None:
        if self.is_free:
            self.conn.send_text(HEARTBEAT)  # goes out in one write with the ping
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        if (
            self._moved_at > self.ping_sent_at
        ):  # a slow line, on which the answer is still under way
            assert self.ping_timeout
            self.pong_timer = self.loop.call_later(self.ping_timeout, self.keepalive_timeout)
            self.ping_sent_at = self._moved_at
            return
        super().keepalive_timeout()
        self.abort()

    def shutdown(self) -> None:
        super().shutdown()
        if (
            not self.writable.is_set()
        ):  # nobody reads the farewell, and the end must not wait for it
            self.abort()

    def _is_over(self) -> bool:
        return (
            self.disconnected
            or self.close_sent
            or self.conn.state is not State.OPEN
            or self.transport.is_closing()
        )


def _header(size: int) -> bytes:
    """What stands before a whole text frame of a server (RFC 6455, 5.2): it is neither masked nor compressed."""
    if size < 126:
        return b"\x81%c" % size
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big")
    return b"\x81\x7f" + size.to_bytes(8, "big")
