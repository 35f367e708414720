"""Follows all sessions at once, from the outside: every fact, and the first piece of each answer.

A cursor over the numbers that events have in the database, looked at a few times a second and only when something was
written; so it sees what other processes run too, and costs the runs nothing. What was copied in (a fork, an import)
happened elsewhere or earlier, and is passed over.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from bottega.errors import StorageFailed
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.server.outside.counts import Counts
from bottega.sessions.session import now
from bottega.storage.database import Database

_log = logging.getLogger(__name__)

EVERY = 0.2
PAGE = 2000
LATE = 60_000
"""Milliseconds after which an event is no news."""
_KNOWN = 10_000
_STARTS = b'{"type":"message_start"'


class Place(NamedTuple):
    """What is told of a session."""

    n: int
    id: str
    created_at: int
    agent: str


Seen = Callable[[Place, Event], None]
Row = tuple[int, int, int, int, bytes]


class Follower:
    def __init__(self, database: Database, counts: Counts, *seen: Seen) -> None:
        self._database = database
        self._counts = counts
        self._seen = seen
        self._cursor = 0
        self._version = -1
        self._places: dict[int, Place] = {}
        self._awaited: set[int] = set()
        """Sessions whose next delta is the first of an answer."""

    async def begin(self) -> None:
        """Follow from here on."""
        newest = await self._database.read(
            lambda c: c.execute("SELECT seq FROM sqlite_sequence WHERE name = 'events'").fetchone()
        )
        self._cursor = newest[0] if newest else 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.look()
            except StorageFailed:
                _log.warning("the log could not be followed")
            except Exception:  # of whoever was told: the next event may be told again
                _log.exception("what was followed could not be told")

    async def look(self) -> None:
        """Tell all that is new."""
        version = self._database.version()
        if version == self._version:
            return
        while True:
            rows, more = await self._database.read(self._news)
            for place, event in rows:
                for seen in self._seen:
                    seen(place, event)
            if not more:
                break
        self._version = version

    def _news(self, connection: sqlite3.Connection) -> tuple[list[tuple[Place, Event]], bool]:
        """In a reader's thread."""
        rows: list[Row] = connection.execute(
            "SELECT n, session, idx, kind, body FROM events WHERE n > ? ORDER BY n LIMIT ?",
            (self._cursor, PAGE),
        ).fetchall()
        if rows:
            self._cursor = rows[-1][0]
        self._counts.events += len(rows)
        kept = [row for row in rows if self._matters(row)]
        told = [(self._place(connection, row[1]), decode(row[2], row[4])) for row in kept]
        oldest = now() - LATE
        fresh = [
            (place, event)
            for place, event in told
            if place and event.at >= max(oldest, place.created_at)
        ]
        return fresh, len(rows) == PAGE

    def _matters(self, row: Row) -> bool:
        _, session, _, kind, body = row
        if kind == 0:
            if body.startswith(_STARTS):
                self._awaited.add(session)
            return True
        if session not in self._awaited:
            return False
        self._awaited.discard(session)
        return True

    def _place(self, connection: sqlite3.Connection, n: int) -> Place | None:
        place = self._places.get(n)
        if place is None:
            row = connection.execute(
                "SELECT n, id, created_at, agent FROM sessions WHERE n = ?", (n,)
            ).fetchone()
            if row is None:
                return None  # it was deleted since
            if len(self._places) >= _KNOWN:
                self._places.clear()
            place = self._places[n] = Place(*row)
        return place
