"""Both ends of a text that comes in pieces, and how long it was in all: memory stays the same however long it is."""

from typing import NamedTuple

ROOM = 10_000
"""Characters that are kept of each end."""


class Ends(NamedTuple):
    head: str
    tail: str
    left: int
    """Characters between the two."""
    total: int


class Glimpse:
    def __init__(self) -> None:
        self.total = 0
        self._head = ""
        self._tail = ""

    def add(self, text: str) -> None:
        self.total += len(text)
        if len(self._head) < ROOM:
            self._head += text[: ROOM - len(self._head)]
        self._tail = (self._tail + text[-ROOM:])[-ROOM:]

    def skip(self, count: int) -> None:
        """So many came that nobody looked at: bytes, counted as if each were a character."""
        self.total += count
        if count:
            self._tail = ""

    def ends(self, limit: int) -> Ends:
        """The whole text as head, where it has no more than `limit` characters; else its two ends."""
        limit = min(limit, ROOM)
        if self.total <= limit:
            return Ends(self._head, "", 0, self.total)
        head = limit // 2
        tail = limit - head
        shown = self._tail[-tail:]
        return Ends(self._head[:head], shown, self.total - head - len(shown), self.total)
