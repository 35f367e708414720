"""Frames of events, made by joining stored bytes; nothing is encoded anew.

What follows a cursor is the same for everyone who stands there, so it is joined once for all of them.
"""

from collections import OrderedDict
from collections.abc import Iterator

import msgspec

from bottega.sessions.feed import Feed, Frame, Row
from bottega.sessions.log import Log

LARGEST = 64 * 1024
"""Bytes of events in one frame, unless a single one has more: what a slow line can take in a moment."""
KEPT = 64
"""Joined parts that are kept for others at the same cursor."""


class Part(msgspec.Struct, frozen=True):
    """The end of a frame, from the list of events on, and the last index in it."""

    tail: bytes
    last: int


class Joins:
    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: OrderedDict[tuple[int, int, int], Part] = OrderedDict()

    async def ahead(self, n: int, feed: Feed, cursor: int) -> list[Part]:
        """What is there past the cursor, as much as is read at once."""
        key = (n, cursor, feed.last_index)
        if part := self._kept.get(key):
            return [part]
        parts = [part for frame in await self._log.ahead(n, cursor) for part in joined(frame)]
        if len(parts) == 1 and len(parts[0].tail) <= 2 * LARGEST:
            self._kept[key] = parts[0]
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return parts


def head(tab_id: str, session_id: str) -> bytes:
    """How every frame of events of a tab begins."""
    ids = msgspec.json.encode({"type": "events", "tab_id": tab_id, "session_id": session_id})
    return ids[:-1] + b',"events":'


def joined(frame: Frame) -> Iterator[Part]:
    trimmed = b',"trimmed":[%d,%d]' % frame.trimmed if frame.trimmed else b""
    for rows in _bounded(frame.events):
        events = b",".join(b"[%d,%b]" % row for row in rows)
        yield Part(b"[%b]%b}" % (events, trimmed), rows[-1][0])
        trimmed = b""


def _bounded(rows: list[Row]) -> Iterator[list[Row]]:
    size, begin = 0, 0
    for place, (_, body) in enumerate(rows):
        if size and size + len(body) > LARGEST:
            yield rows[begin:place]
            size, begin = 0, place
        size += len(body)
    yield rows[begin:]
