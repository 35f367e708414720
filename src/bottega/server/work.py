"""One worker process: it attends whatever servers admitted in its home, until it is told to end."""

import asyncio
import logging
import os
from collections.abc import Callable

from bottega.server.outside import logs
from bottega.server.outside.scrub import Scrub
from bottega.server.preload import preload
from bottega.server.staff.doing import Doing
from bottega.server.staff.owner import Owner
from bottega.server.staff.settle import settle
from bottega.server.staff.stop import Stop
from bottega.settings import Settings
from bottega.studio import Studio

_log = logging.getLogger(__name__)

MARGIN = 2.5
"""Seconds, past those that exchanges have to finish, after which an end that hangs is taken."""


async def work(
    settings: Settings,
    ready: Callable[[str], None],
    *,
    owned: bool = False,
    log_format: logs.Format = "human",
    debug: bool = False,
) -> None:
    """Work until a signal comes; `ready` is told the worker's id once it attends.

    One that is `owned` ends with the server that started it, which it tells its id, and does its errands.
    """
    await asyncio.to_thread(preload, settings)
    owner = Owner()
    if owned:
        await owner.begin()
        ready = _telling(owner)
    with Stop(settings.values.grace + MARGIN).heard() as stop:
        async with Studio(
            settings=settings, admits_as="server", on_crash=None, attends=True
        ) as studio:
            lines = logs.Lines(log_format, Scrub(lambda: studio.settings))
            unlog = logs.begin(lines, logs.level_of(log_format, debug=debug))
            doing = asyncio.create_task(Doing(studio, owner).run())
            try:
                settle()
                worker = studio.worker.contender.worker
                fields = {"worker": worker, "pid": os.getpid()}
                _log.info("a worker attends this home", extra={"fields": fields})
                ready(worker)
                await stop.asked()
                await studio.leave()
            finally:
                doing.cancel()
                await asyncio.wait({doing})
                await asyncio.to_thread(unlog)


def _telling(owner: Owner) -> Callable[[str], None]:
    return lambda worker: owner.tell(worker.encode() + b"\n")
