"""What others write into a session while its exchange runs: that is how a cancel or an answer comes in."""

import asyncio
from collections.abc import Iterable
from typing import Any

from bottega.errors import StorageFailed
from bottega.events.codec import decode
from bottega.sessions.feed import Row
from bottega.sessions.log import Log
from bottega.workers.exchange import Exchange

AGAIN = 0.5
"""Seconds before the log is read again where it could not be."""
_CANCEL = b'{"type":"cancel_requested"'
_RESOLVED = b'{"type":"approval_resolved"'
_UNDONE = b'{"type":"compaction_undone"'


async def mind(log: Log, exchange: Exchange, after: int, running: asyncio.Task[Any]) -> None:
    """Mind all that comes past the cursor `after`, until `running` is cancelled by it or the session is gone."""
    n = exchange.session.n
    with log.following(n) as feed:
        while not feed.gone:
            await feed.wait_for_others(after)
            reached = feed.others_index
            try:
                if _hear(exchange, await log.facts(n, after)):
                    running.cancel()
                    return
            except StorageFailed:  # a cancel must not go unheard because of that
                await asyncio.sleep(AGAIN)
            else:
                after = reached


def _hear(exchange: Exchange, rows: Iterable[Row]) -> bool:
    """Take in what others wrote, once or again; whether a cancel is among it."""
    for index, body in rows:
        if body.startswith(_RESOLVED):
            exchange.asking.hear(decode(index, body).data)
        elif body.startswith(_UNDONE):
            exchange.compacting.stale = True
        elif body.startswith(_CANCEL) and _is_for(exchange, index, body):
            return True
    return False


def _is_for(exchange: Exchange, index: int, body: bytes) -> bool:
    return decode(index, body).message_id == exchange.message_id
