"""What goes out has to move: a connection on which nothing of what waits is taken for a while is cut."""

import asyncio
from collections.abc import Callable


class Progress:
    """Looks now and then, for as long as bytes wait to be taken; what comes in does not count."""

    def __init__(
        self,
        transport: asyncio.Transport,
        patience: float,
        moved: Callable[[], None] | None = None,
    ) -> None:
        """`moved` is called whenever some were taken."""
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._patience = patience
        self._moved = moved or _nothing
        self._timer: asyncio.TimerHandle | None = None
        self._waiting = 0
        self._moved_at = 0.0

    def watch(self) -> None:
        if self._timer is None and (waiting := self._transport.get_write_buffer_size()):
            self._waiting = waiting
            self._moved_at = self._loop.time()
            self._later()

    def went_out(self) -> None:
        """All but a little was taken."""
        self._moved_at = self._loop.time()

    def stop(self) -> None:
        """Watch no longer, and refer to nobody any more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._moved = _nothing

    def _later(self) -> None:
        self._timer = self._loop.call_later(self._patience / 5, self._look)

    def _look(self) -> None:
        self._timer = None
        waiting = self._transport.get_write_buffer_size()
        if waiting < self._waiting:
            self._moved_at = self._loop.time()
            self._moved()
        if not waiting:
            return
        if self._loop.time() - self._moved_at >= self._patience:
            self._transport.abort()
            return
        self._waiting = waiting
        self._later()


def _nothing() -> None:
    pass
