"""Bytes that came in are parsed in turns: a little of each connection, a few ms at a time.

What a byte costs to parse is the sender's choice: a frame or a chunk may have six bytes. So the loop never parses all
that came at once. A round of the loop has `ROUND` seconds for it, whoever sends; a person, or an address that nobody is
signed in for, has one turn before another has the next; and a connection whose bytes wait is not read.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, cast

ROUND = 0.004
"""Seconds of a round of the loop in which bytes are parsed."""
TURN = 0.001
"""Seconds that one turn takes, or the time that a piece takes."""


class Turns:
    """Who is parsed next."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[Callable[[], None]]] = {}
        self._spent = 0.0
        self._is_busy = self._is_due = False

    def take(self, key: Hashable, work: Callable[[], None]) -> None:
        """Do it now, if there is time and nobody waits; else when it is this one's turn."""
        self._call_next()
        if self._is_busy or self._waiting or self._spent >= ROUND:
            self._waiting.setdefault(key, deque()).append(work)
        else:
            self._do(work)

    def _call_next(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._is_due = False
        self._spent = 0.0
        try:
            while self._waiting and self._spent < ROUND:
                key = next(iter(self._waiting))
                works = self._waiting.pop(key)
                work = works.popleft()
                if works:
                    self._waiting[key] = works  # behind all others
                self._do(work)
        finally:
            if self._waiting:
                self._call_next()

    def _do(self, work: Callable[[], None]) -> None:
        begun = time.perf_counter()
        self._is_busy = True
        try:
            work()
        finally:
            self._is_busy = False
            self._spent += time.perf_counter() - begun


class Wire:
    """A transport that is read only while neither its protocol nor the order of turns holds it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._is_paused = self._is_held = False
        self.on_close: Callable[[], None] | None = None
        """Called instead of closing, where that has to wait."""
        self.on_resume: Callable[[], None] | None = None
        """Called when the protocol takes something again."""
        self._written = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        self._written += len(data)
        self._transport.write(data)

    @property
    def waiting(self) -> int:
        """Bytes that were written and that the system has not taken yet."""
        return self._transport.get_write_buffer_size()

    @property
    def taken(self) -> int:
        """Bytes of what was written that it has taken."""
        return self._written - self.waiting

    @property
    def is_paused(self) -> bool:
        """Whether the protocol takes nothing at the moment."""
        return self._is_paused

    def pause_reading(self) -> None:
        self._is_paused = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._is_paused = False
        if self.on_resume:
            self.on_resume()
        self._settle()

    def hold(self) -> None:
        self._is_held = True
        self._transport.pause_reading()

    def release(self) -> None:
        self._is_held = False
        self._settle()

    def abort(self) -> None:
        self._transport.abort()

    def close(self) -> None:
        if self.on_close:
            self.on_close()
        elif (
            not self._transport.is_closing()
        ):  # a second close would cut TLS off from what is below it
            self._transport.close()

    def _settle(self) -> None:
        if not (self._is_paused or self._is_held):
            self._transport.resume_reading()


def wired(transport: asyncio.Transport) -> asyncio.Transport:
    return transport if isinstance(transport, Wire) else cast("asyncio.Transport", Wire(transport))


class Portions(asyncio.BufferedProtocol):
    """A protocol whose `data_received` is called with small pieces, in turn, for whoever `sender` names."""

    portion = 16 * 1024
    """Bytes that are read at once."""
    piece = 4096
    """Bytes that are parsed before the time is looked at."""
    transport: asyncio.Transport
    turns: Turns
    unparsed = b""
    _buffer: memoryview
    _is_waiting = False

    @property
    def sender(self) -> Hashable:
        raise NotImplementedError

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError

    def piece_end(self, data: bytes, at: int) -> int:
        """Up to where the next piece goes."""
        return at + self.piece

    @property
    def is_ready(self) -> bool:
        """Whether a piece may be parsed now; who says no calls `_wait` once it may."""
        return True

    def get_buffer(self, sizehint: int) -> memoryview:
        self._buffer = memoryview(bytearray(self.portion))
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.unparsed += bytes(self._buffer[:nbytes])
        del self._buffer
        if not self._is_waiting:
            self._wait()

    def _wait(self) -> None:
        self._is_waiting = True
        self.turns.take(self.sender, self._parse)
        if self._is_waiting:
            self.wire.hold()

    def _parse(self) -> None:
        ends = time.perf_counter() + TURN
        unparsed = self.unparsed
        at = 0
        self._is_waiting = False
        while at < len(unparsed) and self._is_heard and self.is_ready:
            begin, at = at, self.piece_end(unparsed, at)
            self.unparsed = unparsed[at:]
            self.data_received(unparsed[begin:at])
            if time.perf_counter() >= ends:
                break
        if not (self.unparsed and self._is_heard):
            self.unparsed = b""
            self.wire.release()
        elif self.is_ready:
            self._wait()
        else:
            self.wire.hold()

    @property
    def wire(self) -> Wire:
        return cast("Wire", self.transport)

    @property
    def _is_heard(self) -> bool:
        return not self.transport.is_closing() and self.transport.get_protocol() is self
