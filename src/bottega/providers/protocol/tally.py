"""How much one answer holds besides its words: blocks, sources, and what goes back to the provider as it came.

Each event is bounded where its bytes are, before it is decoded; what all of them add up to is bounded here, while it
grows, for it is stored as one fact, which all who look at the session read.
"""

from typing import Any

from bottega.messages.json_size import MOST_ANSWER
from bottega.providers.protocol.loose_json import inside

BLOCK = 10
"""Fields of a block as it is stored."""
SOURCE = 3


class TooManyParts(Exception):  # noqa: N818
    """No answer that anybody means holds so much."""


class Tally:
    """Counts fields and elements of one answer, as many as one event may have."""

    def __init__(self) -> None:
        self._left = MOST_ANSWER

    def add(self, members: int) -> None:
        self._left -= members
        if self._left < 0:
            raise TooManyParts

    def block(self) -> None:
        self.add(BLOCK)

    def value(self, found: Any) -> None:
        """Count a decoded value with all that is in it."""
        level = [found]
        while level:
            self.add(len(level))
            level = [inner for value in level for inner in inside(value)]
