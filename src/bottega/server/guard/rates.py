"""How often one may ask, and how many may be inside at once. What is remembered for it has a bound."""

import time
from collections import Counter
from collections.abc import Callable, Hashable

import msgspec


class Rate(msgspec.Struct, frozen=True):
    burst: int
    """How many come through at once after a rest."""
    per_second: float
    """How many a second go on coming through."""


class Buckets:
    """A bucket of tokens for each who asks, kept as one number: when it will be full again."""

    def __init__(
        self, rate: Rate, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._each = 1 / rate.per_second
        self._slack = (rate.burst - 1) / rate.per_second
        self._most = most
        self._clock = clock
        self._full: dict[Hashable, float] = {}

    def take(self, key: Hashable) -> float:
        """Take a token: 0, or the seconds after which there will be one."""
        now = self._clock()
        full = max(self._full.get(key, 0.0), now)
        if (wait := full - now - self._slack) > 0:
            return wait
        if len(self._full) >= self._most and key not in self._full:
            self._forget(now)
        self._full[key] = full + self._each
        return 0

    def __len__(self) -> int:
        return len(self._full)

    def _forget(self, now: float) -> None:
        """Those that are full lose nothing by it; where there are too many others, the oldest half goes."""
        self._full = {key: full for key, full in self._full.items() if full > now}
        for key in list(self._full)[: max(0, len(self._full) - self._most // 2)]:
            del self._full[key]


class Room:
    """How many are inside: so many in all, and of one who asks no more than a share.

    `sure` of theirs are let in whoever else is inside, so that no number of others locks anybody out.
    """

    def __init__(self, most: int, each: int, sure: int = 0) -> None:
        self._most = most
        self._each = each
        self._sure = sure
        self._inside: Counter[Hashable] = Counter()
        self._all = 0

    def enter(self, key: Hashable) -> bool:
        inside = self._inside[key]
        if inside >= self._sure and (self._all >= self._most or inside >= self._each):
            return False
        self._inside[key] += 1
        self._all += 1
        return True

    def leave(self, key: Hashable) -> None:
        self._all -= 1
        self._inside[key] -= 1
        if not self._inside[key]:
            del self._inside[key]
