"""One worker process: it attends whatever servers admitted in its home, until it is told to end."""

from collections.abc import Callable

from bottega.server.staff.stop import Stop
from bottega.settings import Settings
from bottega.studio import Studio

MARGIN = 2.5
"""Seconds, past those that exchanges have to finish, after which an end that hangs is taken."""


async def work(settings: Settings, ready: Callable[[str], None]) -> None:
    """Work until a signal comes; `ready` is told the worker's id once it attends."""
    with Stop(settings.values.grace + MARGIN).heard() as stop:
        async with Studio(
            settings=settings, admits_as="server", on_crash=None, attends=True
        ) as studio:
            ready(studio.worker.contender.worker)
            await stop.asked()
            await studio.leave()
