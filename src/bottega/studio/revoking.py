"""Ends what this process does in projects that were removed: by whom and in which process does not matter.

Looks within `EVERY` of any commit in the home. What begins later is refused where its folder is opened.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bottega.errors import Problem
from bottega.projects.projects import Projects
from bottega.storage.database import Database

_log = logging.getLogger(__name__)

EVERY = 0.1
"""Seconds between two looks."""

End = Callable[[set[int]], Awaitable[None]]
"""Ends what is done in every project but those of these numbers."""


class Revoking:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._projects = Projects(database)
        self._task: asyncio.Task[None] | None = None
        self.ends: list[End] = []

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        seen, known, removals = -1, set[int](), set[tuple[int, int]]()
        while True:
            try:
                if (version := self._database.version()) != seen:
                    removed_at = self._projects.removal_times()
                    now = {(n, at) for n, at in removed_at.items() if at is not None}
                    # One may have been added and removed since the last look; or its person is gone.
                    if now - removals or known - removed_at.keys():
                        await self._end({n for n, at in removed_at.items() if at is None})
                    seen, known, removals = version, set(removed_at), now
            except Problem as problem:
                _log.warning("removed projects could not be looked for: %s", problem)
            await asyncio.sleep(EVERY)

    async def _end(self, there: set[int]) -> None:
        for end in self.ends:
            try:
                await end(there)
            except Exception:
                _log.exception("something in a removed project could not be ended")
