"""What others write into a session while its exchange runs: that is how a cancel or an answer comes in."""

import asyncio
from typing import Any

from bottega.events.codec import decode
from bottega.sessions.log import Log
from bottega.workers.exchange import Exchange

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
            for index, body in await log.facts(n, after):
                if body.startswith(_RESOLVED):
                    exchange.asking.hear(decode(index, body).data)
                elif body.startswith(_UNDONE):
                    exchange.compacting.stale = True
                elif body.startswith(_CANCEL) and _is_for(exchange, index, body):
                    running.cancel()
                    return
            after = reached


def _is_for(exchange: Exchange, index: int, body: bytes) -> bool:
    return decode(index, body).message_id == exchange.message_id
