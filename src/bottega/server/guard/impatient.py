"""Connections that keep the server waiting are closed.

A request must be there whole, but for its body, in 10 s; what comes after a refusal must end in that time too. An
answer takes as long as it needs to be made, but on its way out it has to move on every 15 s. Requests are heard one
at a time: whoever sends the next one before the last is answered is not heard any further. An answer that comes before
its request was whole is the connection's last: what is still sent is taken for a while, so that the answer is not lost,
and thrown away unparsed. Chunks of a few bytes each, and heads of very many lines, are refused.

With TLS, a connection has its seat from the moment that it is accepted: one that never shakes hands counts like any
other.
"""

import asyncio
import socket
import ssl
from collections.abc import Hashable
from contextlib import suppress
from typing import Any, cast

import h11
import uvicorn
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr

from bottega.server.guard.connections import Connections, Seat, Shares
from bottega.server.guard.progress import Progress
from bottega.server.guard.tls import Deciphered, Records, Tls
from bottega.server.guard.turns import Portions, Turns, wired

EXTENSION = "bottega.seat"
"""Under this name a request's scope holds its connection's seat."""

UNSENT = 128 * 1024
"""Bytes that the system takes ahead of what was sent."""

HEAD_LINES = 200
"""Lines that the head of a request may have."""
SMALL_CHUNKS, SMALLEST = 128, 64
"""A body may come in so many chunks of any size; where there are more, they have so many bytes on average."""
THROWN_AWAY = 128_000_000
"""Bytes that are taken after an answer that came before its request was whole: a little more than the largest body."""


class Config(uvicorn.Config):
    """Of a server whose connections are counted."""

    def __init__(self, *given: Any, shares: Shares | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.seats = Connections(shares)
        self.turns = Turns()
        self.tls: ssl.SSLContext | None = None

    def load(self) -> None:
        """Have the server accept without TLS: each connection begins that by itself, once it has its seat."""
        super().load()
        self.tls, self.ssl = self.ssl, None
        if self.tls:
            self.tls.sslobject_class = Deciphered


class _Chunked(h11.Connection):
    """Counts chunks: each is an event, however small."""

    _chunks = _bytes = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._bytes += len(event.data)
            if self._chunks > SMALL_CHUNKS and self._bytes < self._chunks * SMALLEST:
                raise h11.RemoteProtocolError("The chunks of the body are too small.")
        return event


class Impatient(H11Protocol, Portions):
    patience = 10.0
    """Seconds for a request to come."""
    stuck = 15.0
    """Seconds in which something of an answer must be taken."""
    _deadline: asyncio.TimerHandle | None = None
    _seat: Seat | None = None
    _progress: Progress
    _head_lines = 0
    _unsent = -1
    """Bytes of the answer that were not given out yet, where it said how many it has."""
    _is_early = False
    """Whether the next request came before this one was answered."""
    _thrown_away = -1
    """Bytes that came since nothing is heard any more."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        most = self.config.h11_max_incomplete_event_size
        self.conn = _Chunked(
            h11.SERVER, **({} if most is None else {"max_incomplete_event_size": most})
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        _keep_little_unsent(transport)
        if isinstance(self.config, Config):
            self.turns = self.config.turns
            if self._seat is None:
                address = get_remote_addr(transport)
                self._seat = self.config.seats.enter(transport, address[0] if address else "")
                if self.config.tls:  # this is called again once hands were shaken
                    self._shake_hands(transport, self.config.tls, self._seat)
                    return
            elif self.config.tls:
                transport.set_write_buffer_limits(Tls.unsent)
        else:
            self.turns = Turns()
        super().connection_made(wired(transport))
        self._progress = Progress(self.wire, self.stuck, self._seat.moved if self._seat else None)
        self.app = self._seated(self.app)
        self._mind()

    def _shake_hands(
        self, transport: asyncio.Transport, context: ssl.SSLContext, seat: Seat
    ) -> None:
        below = Records(Tls(self, context), self.turns, seat)
        transport.set_protocol(below)
        below.connection_made(transport)

    @property
    def sender(self) -> Hashable:
        return self._seat.sender if self._seat else None

    def _seated(self, app: Any) -> Any:
        async def with_seat(
            scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
        ) -> None:
            async def sent(message: Any) -> None:
                if message["type"] == "http.response.start":
                    self._unsent = _length(message)
                    if self.cycle.more_body:
                        self._let_this_be_the_last(message)
                self._unsent -= len(message.get("body", b""))
                await send(message)

            if self._seat:
                scope[EXTENSION] = self._seat  # type: ignore[index]  # pyright: ignore
            await app(scope, receive, sent)

        return with_seat

    def _let_this_be_the_last(self, start: dict[str, Any]) -> None:
        """The answer begins and the body is not whole: where it ends, or whether it does, is not waited for."""
        start["headers"] = [*start.get("headers", ()), (b"connection", b"close")]
        self.wire.on_close = self._hear_no_more

    def _hear_no_more(self) -> None:
        """Say that nothing more comes from us. To close at once would take back what was not read yet."""
        self.wire.on_close = None
        self.unparsed = b""
        self._thrown_away = 0
        if self.transport.can_write_eof():
            try:
                self.transport.write_eof()
            except OSError:  # whoever sent it has gone
                self.transport.abort()
                return
        self._deadline = self._deadline or self.loop.call_later(self.patience, self._late)

    def buffer_updated(self, nbytes: int) -> None:
        if self._thrown_away < 0:
            if self._seat:
                self._seat.moved()  # however long it waits for its turn
            super().buffer_updated(nbytes)
            return
        self._thrown_away += nbytes
        if self._thrown_away > THROWN_AWAY:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing() or self._thrown_away >= 0:
            return
        if self.conn.their_state is h11.IDLE:
            self._head_lines += data.partition(b"\r\n\r\n")[0].count(b"\n")
            if self._head_lines > HEAD_LINES:
                self.send_400_response(f"The head of a request has at most {HEAD_LINES} lines.")
                return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_lines = 0
        self._notice_early()
        self._mind()

    def _notice_early(self) -> None:
        """Whoever has the last byte of an answer may go on, though we may not have noticed its end yet."""
        if self.conn.their_state is h11.DONE and self._unsent != 0:
            self._is_early = bool(self.conn.trailing_data[0] or self.unparsed)

    def send_400_response(self, msg: str) -> None:
        if self.cycle and not self.cycle.response_complete:
            self.cycle.disconnected = True  # whoever answers it is told so, and says nothing more
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.wire.on_close = self._hear_no_more
            super().send_400_response(msg)
        else:
            self.transport.abort()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        super().handle_websocket_upgrade(event)
        self._rest()
        self._progress.stop()
        line: Any = self.transport.get_protocol()
        line.seat = self._seat  # which it gives up when it ends

    def on_response_complete(self) -> None:
        self._unsent = -1
        if self._is_early:
            self.transport.close()  # the next request is not heard
        super().on_response_complete()
        self._mind()
        self._progress.watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._progress.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._progress.went_out()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        self._progress.stop()
        self.wire.on_close = None
        if self._seat:
            self._seat.leave()
        super().connection_lost(exc)
        self.app = cast(
            "Any", self.config
        ).loaded_app  # nothing refers to this any more, and it goes at once
        self.unparsed = b""

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
        self._progress.watch()

    def _rest(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


def _length(start: dict[str, Any]) -> int:
    lengths = [value for name, value in start.get("headers", ()) if name == b"content-length"]
    return int(lengths[0]) if lengths else -1


def _keep_little_unsent(transport: asyncio.Transport) -> None:
    if connection := transport.get_extra_info("socket"):
        with suppress(OSError, AttributeError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)
