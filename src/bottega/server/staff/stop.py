"""The end of a process that serves: asked for by the first signal, taken at the second, and never waited for for long.

An end that hangs is taken too: what is stored is whole at any moment, so whoever comes next goes on as after a crash.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    def __init__(self, within: float) -> None:
        """`within` so many seconds of the first signal the process is gone, whatever hangs."""
        self._within = within
        self._asked = asyncio.Event()

    async def asked(self) -> None:
        """Return once somebody wants the process to end."""
        await self._asked.wait()

    @contextmanager
    def heard(self) -> Generator["Stop"]:
        """While this lasts, signals are heard."""
        loop = asyncio.get_running_loop()
        for each in SIGNALS:
            loop.add_signal_handler(each, self._on_signal, each)
        try:
            yield self
        finally:
            for each in SIGNALS:
                loop.remove_signal_handler(each)
                # What comes from here on must not end a process that ends anyway, in another way.
                signal.signal(each, signal.SIG_IGN)

    def _on_signal(self, which: signal.Signals) -> None:
        if self._asked.is_set():
            os._exit(128 + which)
        self._asked.set()
        # A thread: the loop itself may be what hangs.
        last = threading.Timer(self._within, os._exit, (0,))
        last.daemon = True
        last.start()
