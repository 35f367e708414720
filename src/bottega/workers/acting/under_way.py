"""The model calls of each person that are under way: what they will use is in no row yet, and counts near a limit."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from weakref import WeakSet

from bottega.sessions.spent import Used

AGAIN = 5.0
"""Seconds after which whoever waits looks again, whatever it was told."""


class UnderWay:
    """One call, and what it is estimated to use."""

    def __init__(self, about: Used) -> None:
        self.about = about
        self.so_far = Used()

    def grow(self, so_far: Used) -> None:
        """It has used so much by now: more than was estimated, perhaps."""
        self.so_far = so_far
        self.about = Used(
            tokens=max(self.about.tokens, so_far.tokens), cost=max(self.about.cost, so_far.cost)
        )


class CallsUnderWay:
    def __init__(self) -> None:
        # Weak: an exchange that is gone, however it went, has no call under way.
        self._calls: dict[int, WeakSet[UnderWay]] = {}
        self._ended: dict[int, asyncio.Event] = {}
        self._tasks: set[asyncio.Future[None]] = set()
        self._largest: dict[int, tuple[float, Used]] = {}

    def largest(self, person: int, look: Callable[[], Used]) -> Used:
        """The most that one call of theirs used; it is looked up every few seconds."""
        until, known = self._largest.get(person, (0.0, Used()))
        if until < time.monotonic():
            known = look()
            self._largest[person] = (time.monotonic() + (AGAIN if known.tokens else 0.0), known)
        return known

    def about(self, person: int) -> list[Used]:
        """What each of their calls is estimated to use."""
        return [call.about for call in self._calls.get(person, ())]

    def so_far(self, person: int) -> Used:
        """What all of their calls have used by now."""
        calls = [call.so_far for call in self._calls.get(person, ())]
        return Used(
            tokens=sum(each.tokens for each in calls), cost=sum(each.cost for each in calls)
        )

    def add(self, person: int, about: Used) -> UnderWay:
        """A call begins; it is under way until it is discarded, or nobody holds it any more."""
        call = UnderWay(about)
        self._calls.setdefault(person, WeakSet()).add(call)
        return call

    def discard_after(self, person: int, call: UnderWay, stored: Awaitable[None]) -> None:
        async def wait() -> None:
            try:
                await stored
            finally:
                self.discard(person, call)

        task = asyncio.ensure_future(wait())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    def discard(self, person: int, call: UnderWay) -> None:
        self._calls.get(person, WeakSet[UnderWay]()).discard(call)
        if ended := self._ended.pop(person, None):
            ended.set()

    async def wait(self, person: int) -> None:
        """Until one of them has ended, or for a few seconds."""
        ended = self._ended.setdefault(person, asyncio.Event())
        with suppress(TimeoutError):
            async with asyncio.timeout(AGAIN):
                await ended.wait()
