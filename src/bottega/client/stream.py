"""A session's facts from a cursor on, over as many connections as it takes: each once, in order, as it was stored."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import aiohttp

from bottega.client.backoff import Backoff
from bottega.client.lines import Lines, Sent
from bottega.client.problems import problem
from bottega.client.reach import LATER, LOST, Reach, retry_after
from bottega.errors import NotFound, Problem
from bottega.events.codec import decode
from bottega.events.event import Event

SILENCE = 15.0
"""Seconds without a byte, not even a heartbeat, after which a connection counts as lost."""

OPEN = Sent(0, "open", b"")
"""Said by nobody: the server has begun to answer."""


class _NotNow(Exception):  # noqa: N818
    def __init__(self, cause: Problem, at_least: float) -> None:
        super().__init__(str(cause))
        self.at_least = at_least


async def stream(reach: Reach, session_id: str, after: int = 0) -> AsyncGenerator[Event]:
    """Everything past the cursor, then what comes; ends when the session is deleted."""
    cursor, known = after, False
    backoff = Backoff(reach.patience)
    while True:
        failure, at_least = Exception("the stream ended"), 0.0
        try:
            async with aclosing(_connection(reach, session_id, cursor)) as connection:
                async for sent in connection:
                    known = True
                    backoff.reset()
                    if sent.name == "session-ended":
                        return
                    if not sent.name and sent.index > cursor:
                        cursor = sent.index
                        yield decode(sent.index, sent.body)
        except NotFound:
            if not known:
                raise
            return
        except _NotNow as later:
            failure, at_least = later, later.at_least
        except LOST as error:
            failure = error
        await reach.pause(backoff, failure, at_least)


async def _connection(reach: Reach, session_id: str, cursor: int) -> AsyncGenerator[Sent]:
    """What one connection brings."""
    async with reach.http.get(
        reach.url(f"sessions/{session_id}/events"),
        params={"after": cursor},
        headers={"Accept": "text/event-stream"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=SILENCE, sock_read=SILENCE),
    ) as response:
        if response.status != 200:
            told = problem(response.status, await response.read())
            raise _NotNow(told, retry_after(response)) if response.status in LATER else told
        reach.told("back")
        yield OPEN
        lines = Lines()
        async for piece in response.content.iter_any():
            for sent in lines.feed(piece):
                yield sent
