"""Following a session for one tab: a cursor on its log, never a queue.

A client that reads slowly makes its own follower wait, and nobody else's: when it goes on, it goes on from its cursor,
out of memory or out of the database.
"""

import asyncio
from contextlib import aclosing

from bottega.server.hub import told
from bottega.server.hub.cast import Casts, Live
from bottega.server.hub.join import Joins, head
from bottega.server.hub.socket import Socket
from bottega.server.hub.told import encoded
from bottega.server.simple import Simple
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow


async def follow(
    socket: Socket, tab_id: str, row: SessionRow, cursor: int, log: Log, ways: tuple[Joins, Casts]
) -> None:
    """Send what is past the cursor, then what comes, until the session is deleted or the tab is hidden."""
    begin = head(tab_id, row.id)
    joins, casts = ways
    with log.following(row.n) as feed:
        while not feed.gone:
            for part in await joins.ahead(row.n, feed, cursor):
                await socket.tell(begin + part.tail)
                cursor = part.last
            if feed.last_index <= cursor and not feed.gone:
                cursor = await casts.follow(row.n, feed, Live(socket.line, begin, cursor))
    await socket.tell(told.SessionEnded(tab_id=tab_id, session_id=row.id).encoded())


async def follow_simply(
    socket: Socket, row: SessionRow, cursor: int, log: Log, simple: Simple
) -> None:
    """Send one exchange in simple words, from the prompt to its end."""
    async with aclosing(log.follow(row.n, cursor)) as frames:
        async for frame in frames:
            for index, body in frame.events:
                for words in simple.step(index, body):
                    await socket.tell(encoded(words))
            if simple.ended:
                return
            await asyncio.sleep(0)
