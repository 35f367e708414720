"""The database of a home: one writer thread, readers of their own, and a cheap sign that another process wrote."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from bottega.fairness import Threads
from bottega.storage.home import Home
from bottega.storage.migrate import Migration, migrate
from bottega.storage.sqlite import connect, explain
from bottega.storage.writer import Job, Writer

T = TypeVar("T")

READERS = 4
"""Threads that read; half of them is the most that one person keeps busy."""
SEARCHERS = 4
"""Threads that look through everything; one person's searches run one after the other."""
SEARCHES = 8
"""Searches of one person that may wait."""


class Database:
    """Open it with `Database.open`; `write` and `read` are the only ways in."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.writer = Writer(home.database)
        self._readers = Threads(READERS, READERS // 2, "bottega-reader")
        self._searchers = Threads(SEARCHERS, 1, "bottega-search", line=SEARCHES)
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._watch = self._reader()

    @classmethod
    def open(cls, home: Home, migrations: tuple[Migration, ...]) -> "Database":
        """Enter the home, bring its schema up to date and start the writer."""
        home.enter()
        try:
            migrate(home, migrations)
            return cls(home)
        except BaseException:
            home.leave()
            raise

    def close(self) -> None:
        """Finish what was submitted, then let go of every file."""
        self.writer.close()
        self._readers.shutdown()
        self._searchers.shutdown()
        for connection in self._open:
            connection.close()
        self.home.leave()

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` inside the next transaction; return once it is durable."""
        return await self.submit(work)

    def submit(
        self, work: Callable[[sqlite3.Connection], T], *, urgent: bool = True
    ) -> "asyncio.Future[T]":
        """Have `work` run before all that is written after this call; what is not urgent needs no commit of its own."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def done(result: Any, failure: BaseException | None) -> None:
            if future.done():
                return
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)

        self.writer.submit(Job(work, done, loop, urgent=urgent))
        return future

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on a reader's connection, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, work)

    async def look_through(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """As `read`, for what may take seconds: it holds up nothing but the same person's next one."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._searchers, self.read_now, work)

    def waiting(self, person: int) -> int:
        """How many reads of this person's requests wait."""
        return self._readers.waiting(person)

    def read_now(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` here and now: for one-row look-ups and for threads of one's own."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._reader()
        try:
            return work(connection)
        except sqlite3.Error as error:
            raise explain(error, self.home.database) from error

    def version(self) -> int:
        """A number that changes whenever any connection, here or in another process, has committed."""
        try:
            return self._watch.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error as error:
            raise explain(error, self.home.database) from error

    def _reader(self) -> sqlite3.Connection:
        connection = connect(self.home.database)
        connection.execute("PRAGMA query_only = ON")
        self._open.append(connection)
        return connection
