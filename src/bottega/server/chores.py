"""What a server does by itself, beside everything else: what crashes left over is removed.

What a killed server's programs planted in folders for git to run goes at once, the rest once a day.
"""

import asyncio
import logging

from bottega.errors import Problem
from bottega.sessions.care import leftovers
from bottega.studio import Studio

_log = logging.getLogger(__name__)

FIRST = 5.0
"""Seconds after the start, in which whoever waited for the server comes first."""
EVERY = 24 * 3600.0


async def chores(studio: Studio, first: float = FIRST, every: float = EVERY) -> None:
    """For as long as the server runs; nothing that goes wrong here matters to anybody else."""
    await _recover(studio, last=False)
    await asyncio.sleep(first)
    await _recover(studio, last=True)
    while True:
        try:
            runtime = studio.runtime
            swept = await leftovers.sweep(runtime.database, runtime.blobs)
            fields = {"rows": swept.rows, "blobs": swept.blobs, "folders": swept.folders}
            _log.info("leftovers swept", extra={"fields": fields})
        except (Problem, OSError) as problem:
            _log.warning("leftovers could not be swept: %s", problem)
        await asyncio.sleep(every)


async def _recover(studio: Studio, *, last: bool) -> None:
    """By the `last` time, whatever the dead had started has ended, too."""
    try:
        await studio.runtime.sandboxes.recover_all(last=last)
    except (Problem, OSError) as problem:
        _log.warning("folders could not be checked for planted repositories: %s", problem)
