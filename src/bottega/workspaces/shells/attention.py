"""When to stop waiting for what runs in a terminal: it is done, its time is up, or it waits for input itself.

That it waits is believed when nothing has been printed for a moment and the system shows, twice, a program that reads
the terminal and has slept anew since something was typed. A pause alone means nothing where the system can be asked.
"""

import asyncio
from collections.abc import Callable

import msgspec

from bottega.workspaces.outputs.drain import in_thread
from bottega.workspaces.shells.terminal import Readers, Terminal


class Pace(msgspec.Struct, frozen=True):
    """Seconds."""

    quiet: float = 0.25
    """Without output, before the system is asked."""
    again: float = 0.1
    """Until it is asked for the second time."""
    slowest: float = 1.0
    """Between questions, while something works without a word."""
    unknown: float = 2.0
    """Without output, before that must do, where the system cannot be asked."""


STEADY = Pace()


class Attention:
    def __init__(self, terminal: Terminal, pace: Pace) -> None:
        self._terminal = terminal
        self._pace = pace
        self.news = asyncio.Event()
        """To be set whenever something comes or ends."""

    async def readers(self) -> Readers | None:
        return await in_thread(self._terminal.readers)

    async def wait(
        self,
        deadline: float,
        before: Readers | None,
        done: Callable[[], bool],
        may_ask: Callable[[bool], bool],
    ) -> bool:
        """Wait until it is done or the deadline is there; True: it waits for input, sooner.

        `before` are the readers when something was typed last. `may_ask` has the last word: it is given whether the
        system shows a reader, rather than that it cannot be asked.
        """
        loop = asyncio.get_running_loop()
        pause, sure, since = self._pace.quiet, False, loop.time()
        while not done():
            if loop.time() >= deadline:
                return False
            if await self._news(min(deadline, loop.time() + pause)):
                pause, sure, since = self._pace.quiet, False, loop.time()
                continue
            readers = await self.readers()
            seen = bool(readers and readers - (before or frozenset()))
            silent = readers is None and loop.time() - since >= self._pace.unknown
            waits = (seen or silent) and may_ask(seen)
            if waits and sure and not self.news.is_set():
                return True
            sure = waits
            pause = self._pace.again if waits else min(2 * pause, self._pace.slowest)
        return False

    async def _news(self, until: float) -> bool:
        try:
            async with asyncio.timeout_at(until):
                await self.news.wait()
        except TimeoutError:
            return False
        self.news.clear()
        return True
