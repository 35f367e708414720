"""Who reads along: how much one person follows at once, over all connections, and how many frames one sends."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from bottega.errors import TooMany
from bottega.server.following.rate import Rate
from bottega.share import Turns

MOST = 2000
"""Followed at once, for one person: streams of events, visible tabs and shells, over all connections."""
FRAMES_PER_SECOND, BURST = 1000, 4000
"""Frames of one person, over all sockets."""


class Followers:
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._count: Counter[int] = Counter()
        self._rates: dict[int, Rate] = {}
        self.turns = Turns()
        """For frames: of one person, over all sockets, one is heard in each round of the loop."""

    def refuse_too_many(self, person: int) -> None:
        if self._count[person] >= self._most:
            raise TooMany(
                f"You follow {self._most} sessions and shells already, over all connections.",
                hint="Close some streams, or say hidden for tabs that are not seen.",
            )

    @contextmanager
    def counted(self, person: int) -> Generator[None]:
        """While this lasts, that person follows one more."""
        self._count[person] += 1
        try:
            yield
        finally:
            self._count[person] -= 1
            if not self._count[person]:
                del self._count[person]

    def rate(self, person: int) -> Rate:
        """How many frames that person may send."""
        return self._rates.setdefault(person, Rate(FRAMES_PER_SECOND, BURST))
