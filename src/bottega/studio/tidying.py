"""Freeing what a worker holds for sessions that no tab shows any more: shells, and servers of tools.

Whoever closes the last tab is another process. A session that was never shown in a tab keeps what it has: whoever
drives it may come back.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection

from bottega.errors import Problem
from bottega.storage.database import Database

EVERY = 5.0
"""Seconds between two looks."""


class Tidying:
    def __init__(
        self,
        database: Database,
        ran: Callable[[], Collection[int]],
        free: Callable[[int], Awaitable[None]],
    ) -> None:
        """`ran` are the sessions that were run here, `free` lets go of what is held for one."""
        self._database = database
        self._ran = ran
        self._free = free
        self._shown: set[int] = set()

    async def run(self, every: float = EVERY) -> None:
        while True:
            await asyncio.sleep(every)
            try:
                await self.look()
            except Problem:
                continue  # the next look may be luckier

    async def look(self) -> None:
        """Free what is held for those that were shown at an earlier look, and are not now."""
        shown = self._database.read_now(_shown)
        for n in [n for n in self._shown if n not in shown]:
            self._shown.discard(n)
            await self._free(n)
        self._shown |= shown.intersection(self._ran())


def _shown(connection: sqlite3.Connection) -> set[int]:
    return {n for (n,) in connection.execute("SELECT DISTINCT session FROM tabs")}
