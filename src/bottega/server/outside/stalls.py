"""Notices when the event loop stood still: whatever held it for longer than a blink held every client with it."""

import asyncio
import logging
import time

_log = logging.getLogger("bottega.loop")

EVERY = 0.02
STALL = 0.05
"""Seconds from which standing still is told."""
LONG = 1.0
"""Seconds from which it is told to a person, too."""
WINDOW = 60.0


class Stalls:
    def __init__(self) -> None:
        self.count = 0
        self._since = time.monotonic()
        self._now = self._before = 0.0

    async def run(self) -> None:
        while True:
            due = time.monotonic() + EVERY
            await asyncio.sleep(EVERY)
            self.note(time.monotonic() - due)

    def note(self, late: float) -> None:
        """The loop was late by so many seconds."""
        self._turn()
        self._now = max(self._now, late)
        if late > STALL:
            self.count += 1
            level = logging.WARNING if late > LONG else logging.INFO
            _log.log(level, "loop stalled", extra={"fields": {"stall_ms": round(late * 1000)}})

    def longest(self) -> float:
        """The longest of the last minute or two, in seconds."""
        self._turn()
        return max(self._now, self._before)

    def _turn(self) -> None:
        if (passed := time.monotonic() - self._since) > WINDOW:
            self._before = self._now if passed < 2 * WINDOW else 0.0
            self._now, self._since = 0.0, time.monotonic()
