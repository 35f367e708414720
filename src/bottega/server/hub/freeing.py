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
        if n in self._tasks:
            return
        task = asyncio.create_task(self._free(session))
        self._tasks[n] = task
        task.add_done_callback(lambda _: self._tasks.pop(n, None))

    async def close(self) -> None:
        tasks = set(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

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
