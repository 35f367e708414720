"""Whether the server can do its work: a transaction goes through, somebody runs what is admitted, the disk has room."""

import asyncio
import shutil
import time
from typing import Literal

from bottega.errors import Problem
from bottega.server.house import House

KEPT = 2.0
"""Seconds for which what was found is told again: a stranger must not keep the disk busy."""
PATIENCE = 2.0
"""Seconds in which a transaction must be through."""
LITTLE = 100_000_000
"""Bytes of free disk under which nothing new should be begun."""

Reason = Literal["database", "worker", "disk"]


class Readiness:
    """What was found, kept for a moment."""

    def __init__(self, house: House, little: int = LITTLE) -> None:
        self._house = house
        self._little = little
        self._looking: asyncio.Task[list[Reason]] | None = None
        self._looked = 0.0

    async def reasons(self) -> list[Reason]:
        looking = self._looking
        if looking is None or (looking.done() and time.monotonic() - self._looked > KEPT):
            looking = self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(looking)

    async def _look(self) -> list[Reason]:
        house, found = self._house, list[Reason]()
        if not await _writable(house):
            found.append("database")
        if not any(member.pid for member in house.staff.members()):
            found.append("worker")
        if await asyncio.to_thread(_free, house) < self._little:
            found.append("disk")
        self._looked = time.monotonic()
        return found


async def _writable(house: House) -> bool:
    """Whether a transaction goes through, behind all that waits to be written."""
    try:
        async with asyncio.timeout(PATIENCE):
            await house.studio.runtime.database.write(lambda connection: None)
    except (TimeoutError, Problem):
        return False
    return True


def _free(house: House) -> int:
    try:
        return shutil.disk_usage(house.studio.settings.home).free
    except OSError:
        return 0
