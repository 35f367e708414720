"""A database in a bad moment: a writer that is kept busy, a full disk, a look that fails."""

import asyncio
import sqlite3
import threading

from bottega.storage.database import Database


class Gate:
    """Keeps the writer busy, so that all that is submitted meanwhile becomes one group."""

    def __init__(self, database: Database) -> None:
        self._inside, self._open = threading.Event(), threading.Event()
        self._held = asyncio.ensure_future(database.write(self._wait))

    def _wait(self, _: sqlite3.Connection) -> None:
        self._inside.set()
        assert self._open.wait(5)

    async def close(self) -> None:
        """Return when the writer is inside."""
        await asyncio.to_thread(self._inside.wait, 5)

    async def open(self) -> None:
        self._open.set()
        await self._held


class Blind:
    """While it lasts, nobody in this process can look whether others wrote; `met` once somebody tried."""

    def __init__(self, database: Database) -> None:
        self._watch = database._watch  # pyright: ignore[reportPrivateUsage]
        self.met = asyncio.Event()

    def __enter__(self) -> "Blind":
        self._watch.set_authorizer(self._deny)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.set_authorizer(None)

    def _deny(self, *_: object) -> int:
        self.met.set()
        return sqlite3.SQLITE_DENY


def fill_the_disk(connection: sqlite3.Connection) -> None:
    """As work of a job: the commit of its group fails, as on a full disk."""
    connection.execute("PRAGMA max_page_count = 1")  # as small as it is now
    connection.execute("CREATE TABLE full AS SELECT zeroblob(1000000)")


def free_the_disk(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 1000000")
