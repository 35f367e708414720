"""One who is inside: where their request counts, from its arrival to the end of its answer."""

import asyncio
from collections.abc import Hashable

from starlette.types import Message

from bottega.server.guard.places import Crowded, Queue
from bottega.server.guard.rates import Room
from bottega.server.problems import Halt

LONG = 3.0
"""Seconds after which a request makes room for others of the same person: it waits for something, or for its client."""


class Visit:
    """A person's: first among the requests, then, where the answer goes on and on, among the streams.

    While it is worked on it has a place besides, until it is answered, sends a stream or a file, or takes long. A
    stranger's has nothing but that place, and no longer than until its answer begins: how slowly that is read, and how
    slowly a body came before, is nobody else's loss. Of strangers it is the connections that are bounded.
    """

    def __init__(self, streams: Room, long: Room) -> None:
        self._streams = streams
        self._long = long
        self._in: Room | None = None
        self._key: Hashable = None
        self._queue: Queue | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._takes_long = False

    def begin(self, room: Room, key: Hashable) -> bool:
        if room.enter(key):
            self._in, self._key = room, key
        return self._in is not None

    async def work(self, queue: Queue, key: Hashable) -> None:
        """Wait for a place."""
        try:
            await queue.enter(key)
        except Crowded:
            raise Halt(
                429,
                "too_many",
                "Too many of your requests wait already.",
                "Wait for the answers to those, then ask again.",
                retry_after=1,
            ) from None
        self._queue, self._key = queue, key
        self._timer = asyncio.get_running_loop().call_later(LONG, self._grown_long)

    def settle(self, start: Message) -> None:
        """The answer begins: a stream of events makes room for other requests, and a file needs no place."""
        if self._in is None:
            self._leave_place()
            return
        headers = dict(start["headers"])
        is_stream = headers.get(b"content-type", b"").startswith(b"text/event-stream")
        if is_stream and self._streams.enter(self._key):
            self._in.leave(self._key)
            self._in = self._streams
        if is_stream or headers.get(b"content-disposition", b"").startswith(b"attachment"):
            self._leave_place()

    def end(self) -> None:
        self._leave_place()
        if self._takes_long:
            self._long.leave(self._key)
            self._takes_long = False
        if self._in:
            self._in.leave(self._key)
            self._in = None

    def _grown_long(self) -> None:
        if self._queue and self._long.enter(self._key):
            self._takes_long = True
            self._leave_place()

    def _leave_place(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._queue:
            self._queue.leave(self._key)
            self._queue = None
