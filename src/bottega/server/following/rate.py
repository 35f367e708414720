"""How many frames a client may send: a steady rate, and a burst above it. Who sends more is read more slowly."""

import time
from collections.abc import Callable


class Rate:
    def __init__(
        self,
        per_second: float,
        burst: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left = burst
        self._at = clock()

    def owed(self, cost: float = 1) -> float:
        """Count one, or what it costs; how many seconds to wait before the next is read."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second) - cost
        self._at = now
        return max(0.0, -self._left / self._per_second)

    @property
    def is_calm(self) -> bool:
        """Whether it has been quiet for a while."""
        return self._left >= self._burst / 2
