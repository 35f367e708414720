"""The histories of the sessions that ran last, so that a long one is not read again for every prompt.

A history is known by how many events the session's owners had appended when it was complete: if another worker has
written since, the number is another, and what is remembered here is of no use.
"""

from collections import OrderedDict

import msgspec

from bottega.messages.message import Message
from bottega.workers.acting.known import Known
from bottega.workers.told import Told

MOST = 8
"""Sessions that are remembered: an idle session should cost next to nothing."""


class Recalled(msgspec.Struct):
    history: list[Message]
    known: Known
    """What it knows of files."""
    told: Told = msgspec.field(default_factory=Told)
    """What the model was told beside the user's words."""


class Recall:
    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[int, Recalled]] = OrderedDict()

    def keep(self, n: int, seq: int, recalled: Recalled) -> None:
        self._known[n] = (seq, recalled)
        self._known.move_to_end(n)
        if len(self._known) > MOST:
            self._known.popitem(last=False)

    def take(self, n: int, seq: int) -> Recalled | None:
        """What is remembered of a session that has come exactly so far; it is the caller's from now on."""
        known = self._known.pop(n, None)
        return known[1] if known and known[0] == seq else None
