"""What Ctrl-C, Ctrl-\\, a kill or a lost terminal mean for a running exchange: stop it properly, then leave.

The first signal asks for the end, which is stored like any other; a second one no longer waits for it. An exchange that
only waits for a person is left waiting by all but Ctrl-C: who comes back can still answer.
"""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}


class Running(Protocol):
    """An exchange, as `studio.Answer` is one."""

    async def cancel(self) -> bool:
        """Ask it to stop; False if it is not there, not yet or no longer."""
        ...


class Stop:
    """Whether and how the exchange was asked to stop."""

    def __init__(self) -> None:
        self.by: signal.Signals | None = None
        self.at_once = False
        """Nobody waits for its end any more."""

    @property
    def leaves(self) -> bool:
        """Not only the exchange is to end, but the program: all but Ctrl-C mean that."""
        return self.by not in (None, signal.SIGINT)

    @property
    def code(self) -> int:
        """The exit code that says so."""
        return CODES[self.by] if self.by else 130


def _never() -> bool:
    return False


@contextmanager
def stoppable(answer: Running, waits: Callable[[], bool] = _never) -> Generator[Stop]:
    """While this lasts, a signal stops the exchange; a second one cancels the task that is in here.

    `waits` says whether it only waits for a person now.
    """
    stop = Stop()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    asked: set[asyncio.Task[bool]] = set()

    def on_signal(which: signal.Signals) -> None:
        if stop.by is not None or (which is not signal.SIGINT and waits()):
            stop.by, stop.at_once = stop.by or which, True
            if task:
                task.cancel()
            return
        stop.by = which
        asked.add(asyncio.ensure_future(_cancel(answer)))

    for each in CODES:
        loop.add_signal_handler(each, on_signal, each)
    try:
        yield stop
    finally:
        for each in CODES:
            loop.remove_signal_handler(each)
        for request in asked:
            request.cancel()


async def _cancel(answer: Running) -> bool:
    """Ask until the exchange is known here: a signal may come before its prompt is stored."""
    while True:
        if await answer.cancel():
            return True
        await asyncio.sleep(0.02)
