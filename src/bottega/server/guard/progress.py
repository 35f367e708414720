"""What goes out has to move: a connection on which hardly anything of what waits is taken for a while is cut."""

import asyncio
from collections.abc import Callable

from bottega.server.guard.turns import Wire

LEAST = 4096
"""Bytes that are taken while one is patient; where fewer wait, all of them. A byte now and then is no progress."""


class Progress:
    """Looks now and then, for as long as bytes wait to be taken; what comes in does not count."""

    def __init__(
        self, wire: Wire, patience: float, moved: Callable[[], None] | None = None
    ) -> None:
        """`moved` is called whenever some were taken."""
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._patience = patience
        self._moved = moved or _nothing
        self._timer: asyncio.TimerHandle | None = None
        self._seen = 0
        """What was taken when it was last looked at."""
        self._counted = 0
        """What was taken when it was last enough, and …"""
        self._since = 0.0
        """… the time of that."""

    def watch(self) -> None:
        if self._timer is None and self._wire.waiting:
            self._seen = self._wire.taken
            self._count()
            self._later()

    def went_out(self) -> None:
        """All but a little was taken."""
        self._count()

    def stop(self) -> None:
        """Watch no longer, and refer to nobody any more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._moved = _nothing

    def _count(self) -> None:
        self._counted, self._since = self._wire.taken, self._loop.time()

    def _later(self) -> None:
        self._timer = self._loop.call_later(self._patience / 5, self._look)

    def _look(self) -> None:
        self._timer = None
        taken = self._wire.taken
        if taken > self._seen:
            self._seen = taken
            self._moved()
        if not self._wire.waiting:
            return
        if taken - self._counted >= LEAST:
            self._count()
        elif self._loop.time() - self._since >= self._patience:
            self._wire.abort()
            return
        self._later()


def _nothing() -> None:
    pass
