"""How long to wait before the next try, and when to give up: longer each time, and not for ever."""

import random
import time

FIRST, MOST = 0.1, 3.0
"""Seconds before the second try, and between any two."""


class Backoff:
    """One row of failures; it ends with `reset`."""

    def __init__(self, patience: float) -> None:
        """`patience`: seconds from the first failure after which nobody tries any more."""
        self._patience = patience
        self._since: float | None = None
        self._delay = FIRST

    @property
    def failing(self) -> bool:
        return self._since is not None

    def reset(self) -> None:
        """It works."""
        self._since, self._delay = None, FIRST

    def next(self, at_least: float = 0.0) -> float | None:
        """It failed: seconds to wait before the next try; None: give up."""
        now = time.monotonic()
        self._since = self._since or now
        delay = max(at_least, self._delay * random.uniform(0.75, 1.25))  # noqa: S311 - spreads load, hides nothing
        self._delay = min(MOST, self._delay * 2)
        return delay if now + delay - self._since <= self._patience else None
