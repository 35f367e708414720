"""Who is worked for: a few requests of each at the same time. The others of theirs wait, and those who wait take turns.

So hundreds of costly requests of one delay another's by one or two of them, not by all.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Hashable

import msgspec


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are."""

    all: int
    each: int
    waiting: int
    """How many of one may wait for a place."""
    sure: int = 0
    """So many of one have a place whoever else has one: no number of others keeps anybody waiting for good."""


class Crowded(Exception):
    """Too many of theirs wait already."""


class Queue:
    """Places that are given in turns: to the next of those who wait, and of theirs to the one that came first."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._held: Counter[Hashable] = Counter()
        self._all = 0
        self._lines: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """Whose turn is next stands first."""

    def held(self, key: Hashable) -> int:
        return self._held[key]

    async def enter(self, key: Hashable) -> None:
        """Return with a place; raise `Crowded` where too many of theirs wait already."""
        if key not in self._lines and self._has_place(key):
            self._take(key)
            return
        line = self._lines.setdefault(key, deque())
        if len(line) >= self._places.waiting:
            raise Crowded
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave(key)
            raise

    def leave(self, key: Hashable) -> None:
        self._all -= 1
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]
        self._let_in()

    def _has_place(self, key: Hashable) -> bool:
        held = self._held[key]
        return held < self._places.sure or (
            self._all < self._places.all and held < self._places.each
        )

    def _take(self, key: Hashable) -> None:
        self._held[key] += 1
        self._all += 1

    def _let_in(self) -> None:
        for key in tuple(self._lines):
            if self._all >= self._places.all and not self._places.sure:
                return
            line = self._lines.pop(key)
            while line and line[0].done():
                line.popleft()  # given up meanwhile
            if line and self._has_place(key):
                self._take(key)
                line.popleft().set_result(None)
                if line:
                    self._lines[key] = line  # behind all others
            elif line:
                self._lines[key] = line
