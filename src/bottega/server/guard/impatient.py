"""Connections that keep the server waiting are closed.

A request must be there whole, but for its body, in 10 s; what comes after a refusal must end in that time too. An
answer takes as long as it needs to be made, but on its way out something has to move every 15 s. Requests are heard one
at a time: whoever sends the next one before the last is answered is not heard any further.
"""

import asyncio
import socket
from contextlib import suppress
from typing import Any

import h11
import uvicorn
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from bottega.server.guard.connections import Connections, Seat

EXTENSION = "bottega.seat"
"""Under this name a request's scope holds its connection's seat."""

UNSENT = 128 * 1024
"""Bytes that the system takes ahead of what was sent."""


class Config(uvicorn.Config):
    """Of a server whose connections are counted."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.seats = Connections()


class Impatient(H11Protocol):
    patience = 10.0
    """Seconds for a request to come."""
    stuck = 15.0
    """Seconds in which something of an answer must be taken."""
    _deadline: asyncio.TimerHandle | None = None
    _watching: asyncio.TimerHandle | None = None
    _seat: Seat | None = None
    _waiting = 0
    """Bytes that were still to be sent when last looked."""
    _moved_at = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        _keep_little_unsent(transport)
        if isinstance(self.config, Config):
            self._seat = self.config.seats.enter(transport, self.client[0] if self.client else "")
            self.app = self._seated(self.app)
        self._mind()

    def _seated(self, app: Any) -> Any:
        seat = self._seat

        async def with_seat(
            scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
        ) -> None:
            scope[EXTENSION] = seat  # type: ignore[index]  # pyright: ignore
            await app(scope, receive, send)

        return with_seat

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._seat:
            self._seat.moved()
        super().data_received(data)
        self._mind()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        super().handle_websocket_upgrade(event)
        self._rest()
        self._unwatch()
        line: Any = self.transport.get_protocol()
        line.seat = self._seat  # which it gives up when it ends

    def on_response_complete(self) -> None:
        both_done = self.conn.our_state is h11.DONE and self.conn.their_state is h11.DONE
        if both_done and self.conn.trailing_data[0]:
            self.transport.close()  # the next request came before this answer: it is not heard
        super().on_response_complete()
        self._mind()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._moved_at = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        self._unwatch()
        if self._seat:
            self._seat.leave()
        super().connection_lost(exc)

    def _mind(self) -> None:
        """Wait for a request no longer than that; not at all while one is being answered."""
        answering = bool(self.cycle) and not self.cycle.response_complete
        is_socket = self.transport.get_protocol() is not self
        if answering or is_socket or self.transport.is_closing():
            self._rest()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.patience, self._late)

    def _late(self) -> None:
        self.transport.close()
        self._watch()

    def _rest(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def _watch(self) -> None:
        """While bytes wait to be taken, look now and then whether they are."""
        if self._watching is None and self.transport.get_write_buffer_size():
            self._waiting = self.transport.get_write_buffer_size()
            self._moved_at = self.loop.time()
            self._watching = self.loop.call_later(self.stuck / 5, self._look)

    def _look(self) -> None:
        self._watching = None
        waiting = self.transport.get_write_buffer_size()
        if waiting < self._waiting:
            self._moved_at = self.loop.time()
            if self._seat:
                self._seat.moved()
        if not waiting:
            return
        if self.loop.time() - self._moved_at >= self.stuck:
            self.transport.abort()
            return
        self._waiting = waiting
        self._watching = self.loop.call_later(self.stuck / 5, self._look)

    def _unwatch(self) -> None:
        if self._watching:
            self._watching.cancel()
            self._watching = None


def _keep_little_unsent(transport: asyncio.Transport) -> None:
    if connection := transport.get_extra_info("socket"):
        with suppress(OSError, AttributeError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)
