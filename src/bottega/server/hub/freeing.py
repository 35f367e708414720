"""Freeing what a session holds once its last tab is closed. What runs goes on to its end, and is freed then.

A tab that is opened again before that keeps everything as it is.
"""

import asyncio
import logging

from bottega.errors import Problem
from bottega.sessions.tabs import Tabs
from bottega.studio import Studio
from bottega.studio.session import Session

_log = logging.getLogger(__name__)


class Freeing:
    def __init__(self, studio: Studio, tabs: Tabs) -> None:
        self._log = studio.runtime.log
        self._tabs = tabs
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def begin(self, session: Session) -> None:
        """No tab shows this session any more."""
        n = session.row.n
        before = self._tasks.get(n)
        if before and not before.done():
            return
        task = self._tasks[n] = asyncio.create_task(self._free(session))
        task.add_done_callback(lambda done: self._forget(n, done))

    def stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()

    def _forget(self, n: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(n) is task:
            del self._tasks[n]

    async def _free(self, session: Session) -> None:
        n = session.row.n
        try:
            with self._log.following(n) as feed:
                while session.is_busy() and not feed.gone:
                    await feed.wait(feed.last_index)
            if not self._tabs.showing(n):
                await session.free()
        except Problem:  # it was deleted, and what it held with it
            return
        except Exception:
            _log.exception("what a session held could not be freed")
