"""The end of a session's log in memory, and who waits for more of it.

A follower is a cursor, never a queue: while there are any, the feed keeps the last 256 KB for all of them together, and
one that is further behind reads the database. Whoever learns that the log has grown only raises `last_index`.
"""

import asyncio

import msgspec

RING = 256 * 1024

Row = tuple[int, bytes]
"""(index, body)"""


class Frame(msgspec.Struct, frozen=True):
    """What a follower gets at once: events in order, gapless but for what was trimmed before them."""

    events: list[Row]
    trimmed: tuple[int, int] | None = None
    """The first and last index of deltas that are no longer kept, just before `events`."""


class Feed:
    def __init__(self, last_index: int) -> None:
        self.last_index = last_index
        self.others_index = last_index
        """Up to here somebody else than the session's own worker may have written."""
        self.gone = False
        """The session was deleted."""
        self.followers = 0
        self._rows: list[Row] = []
        self._size = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self._minding: set[asyncio.Future[None]] = set()

    def push(self, rows: list[Row], *, own: bool = False) -> None:
        """These rows are durable now; `own`: the session's worker wrote them."""
        if not rows:
            return
        if self.followers:
            self._keep(rows)
        # Where they do not join on, another process wrote in between.
        self.grow(rows[-1][0], own=own and rows[0][0] == self.last_index + 1)

    def _keep(self, rows: list[Row]) -> None:
        if self._rows and rows[0][0] != self._rows[-1][0] + 1:
            # Another process wrote in between: what is here no longer joins on.
            self._rows, self._size = [], 0
        self._rows += rows
        self._size += sum(len(body) for _, body in rows)
        if self._size > 2 * RING:
            self._shrink()

    def grow(self, last_index: int, *, own: bool = False) -> None:
        """The log now reaches to `last_index`, wherever its rows are."""
        if last_index > self.last_index:
            self.last_index = last_index
            self.wake()
            if not own:
                self.others_index = last_index
                self._minding = _woken(self._minding)

    def end(self) -> None:
        self.gone = True
        self.wake()
        self._minding = _woken(self._minding)

    def rest(self) -> None:
        """Nobody follows: memory is for those who do."""
        self._rows, self._size = [], 0

    def wake(self) -> None:
        self._waiting = _woken(self._waiting)

    def since(self, cursor: int) -> list[Row]:
        """What follows the cursor, if memory holds it; empty otherwise."""
        if not self._rows:
            return []
        place = cursor + 1 - self._rows[0][0]
        return self._rows[place:] if place >= 0 else []

    async def wait(self, cursor: int, running: asyncio.Future[None] | None = None) -> None:
        """Return once the log is longer than the cursor, or the session is gone.

        Also once `running` is done, from which no more is to come; its end has to `wake` the feed.
        """
        while self.last_index <= cursor and not self.gone and not (running and running.done()):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(future)
            try:
                await future
            finally:
                self._waiting.discard(future)

    async def wait_for_others(self, cursor: int) -> None:
        """Return once somebody else than the session's own worker wrote past the cursor, or the session is gone."""
        while self.others_index <= cursor and not self.gone:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._minding.add(future)
            try:
                await future
            finally:
                self._minding.discard(future)

    def _shrink(self) -> None:
        drop = 0
        while self._size > RING and drop < len(self._rows) - 1:
            self._size -= len(self._rows[drop][1])
            drop += 1
        del self._rows[:drop]


def _woken(waiting: set[asyncio.Future[None]]) -> set[asyncio.Future[None]]:
    """Tell all who wait; return the set of those who wait from now on."""
    for future in waiting:
        if not future.done():
            future.set_result(None)
    return set()
