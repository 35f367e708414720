"""The append-only log of every session, and the followers of it.

Append, then show: a feed learns of rows only when their commit is durable, so nothing that anyone saw can be lost.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from weakref import WeakValueDictionary

from bottega.errors import NotFound, Refused, StorageFailed
from bottega.events.codec import encode
from bottega.events.event import Event
from bottega.events.facts import DELTAS, GUESTS
from bottega.failpoint import failpoint
from bottega.sessions.feed import Feed, Frame, Row
from bottega.sessions.session import now
from bottega.storage.database import Database
from bottega.storage.writer import Job

T = TypeVar("T")

PAGE = 500
PAGE_BYTES = 1_000_000
"""Bytes after which a page ends: what a reader holds that does not read on."""
POLL = 0.025
"""Seconds between two looks for what other processes wrote, while somebody follows."""


class Log:
    def __init__(self, database: Database) -> None:
        self.database = database
        self._feeds: WeakValueDictionary[int, Feed] = WeakValueDictionary()
        """Of those whom somebody follows or writes to: a session that rests costs nothing."""
        self._followed: dict[int, Feed] = {}
        self._poller: asyncio.Task[None] | None = None

    @property
    def followers(self) -> int:
        """How many read a log of this process now."""
        return sum(feed.followers for feed in self._followed.values())

    def close(self) -> None:
        if self._poller:
            self._poller.cancel()

    async def append(
        self, n: int, events: list[Event], also: Callable[[sqlite3.Connection], T]
    ) -> T:
        """As a guest, without a lease: store `also`'s own row and the events in one transaction.

        `also` runs first and may refuse by raising; it makes the append idempotent by the row that it changes, and
        returns None to say that there is nothing to append.
        """
        if foreign := [event.type for event in events if event.type not in GUESTS]:
            raise Refused(f"Only the worker that runs a session may append {foreign[0]!r}.")

        def work(connection: sqlite3.Connection) -> tuple[T, list[Row]]:
            result = also(connection)
            return result, [] if result is None else insert(connection, n, events)

        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def done(outcome: tuple[T, list[Row]] | None, failure: BaseException | None) -> None:
            feed = self._feeds.get(n)
            if outcome and feed:
                feed.push(outcome[1])
            if not future.done():
                if failure or not outcome:
                    future.set_exception(failure or RuntimeError("no outcome"))
                else:
                    future.set_result(outcome[0])

        self.database.writer.submit(Job(work, done, asyncio.get_running_loop(), urgent=True))
        return await future

    def feed(self, n: int) -> Feed:
        """The session's feed, shared by all who hold it; made when first asked for."""
        feed = self._feeds.get(n)
        if feed is None:
            feed = self._feeds[n] = Feed(self._last_index(n))
        return feed

    def forget(self, n: int) -> None:
        """The session was deleted: its followers end."""
        self._followed.pop(n, None)
        if feed := self._feeds.pop(n, None):
            feed.end()

    async def follow(self, n: int, after: int = 0) -> AsyncGenerator[Frame]:
        """Everything past the cursor `after`, then what comes, each event once and in order; ends with the session."""
        cursor = after
        with self.following(n) as feed:
            while not feed.gone:
                for frame in await self.ahead(n, cursor):
                    cursor = frame.events[-1][0]
                    yield frame
                await feed.wait(cursor)

    async def ahead(self, n: int, cursor: int) -> list[Frame]:
        """What is there past the cursor, as much as is read at once; empty if nothing is."""
        try:
            feed = self.feed(n)
        except NotFound:
            return []
        if rows := feed.since(cursor):
            return [Frame(rows)]
        if feed.last_index <= cursor:
            return []
        if rows := await self.page(n, cursor):
            return list(frames(rows, cursor))
        self._refresh({n: feed})  # the rows are gone, and most likely the session with them
        return []

    async def page(self, n: int, after: int, limit: int = PAGE) -> list[Row]:
        """The next stored rows past the cursor: so many, or fewer where they are large."""

        def read(connection: sqlite3.Connection) -> list[Row]:
            rows: list[Row] = []
            room = PAGE_BYTES
            for row in connection.execute(
                "SELECT idx, body FROM events WHERE session = ? AND idx > ? ORDER BY idx LIMIT ?",
                (n, after, limit),
            ):
                rows.append(row)
                room -= len(row[1])
                if room <= 0:
                    break
            return rows

        return await self.database.read(read)

    async def tail(self, n: int, before: int | None = None, limit: int = 100) -> list[Row]:
        """The last facts (no deltas) below `before`, oldest first: how a long session is opened."""
        rows = await self.database.read(
            lambda connection: connection.execute(
                "SELECT idx, body FROM events WHERE session = ? AND kind = 0 AND idx < ?"
                " ORDER BY idx DESC LIMIT ?",
                (n, before or 2**62, limit),
            ).fetchall()
        )
        return rows[::-1]

    async def facts(self, n: int, after: int = 0) -> list[Row]:
        """All facts (no deltas) past `after`: what history, search and exports are made of."""
        return await self.database.read(
            lambda connection: connection.execute(
                "SELECT idx, body FROM events WHERE session = ? AND kind = 0 AND idx > ?"
                " ORDER BY idx",
                (n, after),
            ).fetchall()
        )

    def fold_start(self, n: int, after: int) -> int:
        """The last index up to `after` at which no exchange was under way: where a fold may begin empty."""
        mark = b'{"type":"exchange_response"'
        row = self.database.read_now(
            lambda connection: connection.execute(
                "SELECT idx FROM events WHERE session = ? AND kind = 0 AND idx <= ?"
                " AND substr(body, 1, ?) = ? ORDER BY idx DESC LIMIT 1",
                (n, after, len(mark), mark),
            ).fetchone()
        )
        return row[0] if row else 0

    def _last_index(self, n: int) -> int:
        row = self.database.read_now(
            lambda connection: connection.execute(
                "SELECT last_index FROM sessions WHERE n = ?", (n,)
            ).fetchone()
        )
        if row is None:
            raise NotFound("This session was deleted.", hint="Begin another one.")
        return row[0]

    @contextmanager
    def following(self, n: int) -> Generator[Feed]:
        """While this lasts, the session's feed learns of what other processes write."""
        feed = self._followed[n] = self.feed(n)
        feed.followers += 1
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll(self.database.version()))
        # What was written before the poller first looks would otherwise go unseen until the next write.
        self._refresh({n: feed})
        try:
            yield feed
        finally:
            feed.followers -= 1
            if not feed.followers:
                feed.rest()
                self._followed.pop(n, None)

    async def _poll(self, seen: int) -> None:
        """While anyone follows, notice what other processes committed since the version `seen`."""
        while self._followed:
            await asyncio.sleep(POLL)
            with suppress(StorageFailed):  # what cannot be read now is read at the next look
                version = self.database.version()
                if version != seen:
                    self._refresh(self._followed.copy())
                    seen = version

    def _refresh(self, followed: dict[int, Feed]) -> None:
        marks = ",".join("?" * len(followed))
        reached: dict[int, int] = dict(
            self.database.read_now(
                lambda connection: connection.execute(
                    f"SELECT n, last_index FROM sessions WHERE n IN ({marks})",  # noqa: S608
                    tuple(followed),
                ).fetchall()
            )
        )
        for n, feed in followed.items():
            if n in reached:
                feed.grow(reached[n])
            else:
                self.forget(n)


def insert(connection: sqlite3.Connection, n: int, events: list[Event]) -> list[Row]:
    """Store guests' events at the end of the log, inside a transaction."""
    row = connection.execute(
        "UPDATE sessions SET last_index = last_index + ?, updated_at = ? WHERE n = ?"
        " RETURNING last_index",
        (len(events), now(), n),
    ).fetchone()
    if row is None:
        raise NotFound("This session was deleted.", hint="Begin another one.")
    return store(connection, n, row[0], [(event.type, encode(event)) for event in events])


def store(
    connection: sqlite3.Connection, n: int, last: int, bodies: list[tuple[str, bytes]]
) -> list[Row]:
    """Write bodies that end at index `last`."""
    failpoint("log.before_insert")
    first = last - len(bodies) + 1
    connection.executemany(
        "INSERT INTO events (session, idx, kind, body) VALUES (?, ?, ?, ?)",
        [(n, first + i, int(kind in DELTAS), body) for i, (kind, body) in enumerate(bodies)],
    )
    failpoint("log.after_insert")
    return [(first + i, body) for i, (_, body) in enumerate(bodies)]


def frames(rows: list[Row], cursor: int) -> Iterator[Frame]:
    """Rows as frames, split where trimmed deltas are missing."""
    run: list[Row] = []
    trimmed: tuple[int, int] | None = None
    for row in rows:
        if row[0] != cursor + 1:
            if run:
                yield Frame(run, trimmed)
            run, trimmed = [], (cursor + 1, row[0] - 1)
        run.append(row)
        cursor = row[0]
    if run:
        yield Frame(run, trimmed)
