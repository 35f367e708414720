"""Telling all who are up to date at once: one task a session joins what is new and writes it to every line.

Who cannot take it at this moment is let go, with their cursor, and catches up alone; then they are up to date again,
and come back. So nobody waits for anybody, and a client more costs a write and no more.
"""

import asyncio
import logging
from contextlib import suppress

from uvicorn.protocols.utils import ClientDisconnected

from bottega.errors import Problem
from bottega.server.hub.join import Joins, Part
from bottega.server.hub.line import Line
from bottega.sessions.feed import Feed

_log = logging.getLogger(__name__)

TICK = 0.03
"""Seconds between two frames of a session: what comes faster is joined; what comes after a rest goes out at once."""


class Live:
    """One who is up to date: a line, how its frames begin, and its cursor."""

    def __init__(self, line: Line, begin: bytes, cursor: int) -> None:
        self.cursor = cursor
        self.let_go: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line = line
        self._begin = begin

    def take(self, part: Part, start: int) -> bool:
        """Write what follows `start`, if that is what comes next here; False: this one has to catch up alone."""
        if self.cursor >= part.last:
            return True
        if self.cursor != start or not self._line.is_free:
            return False
        with suppress(ClientDisconnected):  # whoever reads from it hears of that
            self._line.write_now(self._begin + part.tail)
        self.cursor = part.last
        return True


class Casts:
    def __init__(self, joins: Joins) -> None:
        self._joins = joins
        self._casts: dict[int, _Cast] = {}

    async def follow(self, n: int, feed: Feed, live: Live) -> int:
        """Tell it what comes, for as long as it can take it; the cursor from which it has to catch up."""
        cast = self._casts.get(n)
        if cast is None or cast.feed is not feed:
            cast = self._casts[n] = _Cast(self._joins, n, feed, live.cursor)
        cast.add(live)
        try:
            await live.let_go
        finally:
            if cast.remove(live) and self._casts.get(n) is cast:
                del self._casts[n]
        return live.cursor


class _Cast:
    def __init__(self, joins: Joins, n: int, feed: Feed, cursor: int) -> None:
        self.feed = feed
        self._joins = joins
        self._n = n
        self._cursor = cursor
        self._lives: set[Live] = set()
        self._task = asyncio.create_task(self._run())

    def add(self, live: Live) -> None:
        if self._task.done():  # it has just failed, or its session is gone: each finds out alone
            live.let_go.set_result(None)
        else:
            self._lives.add(live)

    def remove(self, live: Live) -> bool:
        """True, and the task ends: there is nobody left."""
        self._lives.discard(live)
        if not self._lives:
            self._task.cancel()
        return not self._lives

    async def _run(self) -> None:
        try:
            while not self.feed.gone:
                await self.feed.wait(self._cursor)
                for part in await self._joins.ahead(self._n, self.feed, self._cursor):
                    self._tell(part)
                await asyncio.sleep(TICK)
        except Problem as problem:  # each who is let go finds out alone
            _log.warning("a session could not be followed: %s", problem)
        finally:
            for live in tuple(self._lives):
                self._release(live)

    def _tell(self, part: Part) -> None:
        for live in tuple(self._lives):
            if not live.take(part, self._cursor):
                self._release(live)
        self._cursor = part.last

    def _release(self, live: Live) -> None:
        self._lives.discard(live)
        if not live.let_go.done():
            live.let_go.set_result(None)
