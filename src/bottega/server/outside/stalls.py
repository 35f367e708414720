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
            worked, all_worked = time.thread_time(), time.process_time()
            await asyncio.sleep(EVERY)
            late = time.monotonic() - due
            self.note(late, time.thread_time() - worked, time.process_time() - all_worked)

    def note(self, late: float, worked: float = 0.0, all_worked: float = 0.0) -> None:
        """The loop was late by so many seconds; for so many its own thread, and the whole process, did work.

        Where neither did, the machine was busy with something else.
        """
        self._turn()
        self._now = max(self._now, late)
        if late > STALL:
            self.count += 1
            level = logging.WARNING if late > LONG else logging.INFO
            spent = {"stall_ms": late, "loop_cpu_ms": worked, "process_cpu_ms": all_worked}
            fields = {name: round(seconds * 1000) for name, seconds in spent.items()}
            _log.log(level, "loop stalled", extra={"fields": fields})

    def longest(self) -> float:
        """The longest of the last minute or two, in seconds."""
        self._turn()
        return max(self._now, self._before)

    def _turn(self) -> None:
        if (passed := time.monotonic() - self._since) > WINDOW:
            self._before = self._now if passed < 2 * WINDOW else 0.0
            self._now, self._since = 0.0, time.monotonic()
