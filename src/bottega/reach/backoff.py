"""How long to wait before the next try, and when to give up: longer each time, and not for ever."""

import random
import time
from itertools import accumulate, chain, repeat, takewhile

FIRST, MOST = 0.1, 3.0
"""Seconds before the second try, and between any two."""


class Backoff:
    """One row of failures; it ends with `reset`."""

    def __init__(self, patience: float, most: float = MOST) -> None:
        """`patience`: seconds from the first failure after which nobody tries any more."""
        self._patience = patience
        self._most = most
        self._since: float | None = None
        self._delay = FIRST
        self.number = 1
        """Which try this is, from 1."""

    @property
    def failing(self) -> bool:
        return self._since is not None

    @property
    def of(self) -> int:
        """About how many tries there are, where each fails at once."""
        doubled = list(takewhile(lambda each: each < self._most, (FIRST * 2**n for n in range(64))))
        rest = repeat(self._most, int(self._patience / self._most) + 1)
        waits = accumulate(chain(doubled, rest))
        return max(
            self.number, 1 + sum(1 for _ in takewhile(lambda at: at <= self._patience, waits))
        )

    def reset(self) -> None:
        """It works."""
        self._since, self._delay, self.number = None, FIRST, 1

    def next(self, at_least: float = 0.0) -> float | None:
        """It failed: seconds to wait before the next try; None: give up."""
        now = time.monotonic()
        self._since = self._since or now
        delay = max(at_least, self._delay * random.uniform(0.75, 1.25))  # noqa: S311 - spreads load, hides nothing
        self._delay = min(self._most, self._delay * 2)
        self.number += 1
        return delay if now + delay - self._since <= self._patience else None
