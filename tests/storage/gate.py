"""A writer that is kept busy, so that all that is submitted meanwhile becomes one group."""

import asyncio
import sqlite3
import threading

from bottega.storage.database import Database


class Gate:
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


def fill_the_disk(connection: sqlite3.Connection) -> None:
    """As work of a job: the commit of its group fails, as on a full disk."""
    connection.execute("PRAGMA max_page_count = 1")  # as small as it is now
    connection.execute("CREATE TABLE full AS SELECT zeroblob(1000000)")


def free_the_disk(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 1000000")
