"""A session's facts from a cursor on, over as many connections as it takes: each once, in order, as it was stored."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import aiohttp

from bottega.errors import NotFound, Problem
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.fairness import FOREIGN_JSON
from bottega.reach.lines import LAST, Lines, Sent
from bottega.reach.problems import problem
from bottega.reach.reach import LARGEST, LARGEST_PROBLEM, LATER, LOST, UNSURE, Reach, retry_after

AT_ONCE = 32 * 1024
"""Bytes that are made events of at once: others on the event loop have their turn in between."""
CROWD = 2048
"""Lines in so many bytes: honest ones have a tenth."""
PER_LINE = 5
"""What each is counted as where there are so many, among the values that are decoded for a person."""
SILENCE = 15.0
"""Seconds without a byte, not even a heartbeat, after which a connection counts as lost."""


class _NotNow(Exception):  # noqa: N818
    def __init__(self, cause: Problem, at_least: float) -> None:
        super().__init__(str(cause))
        self.at_least = at_least


async def stream(reach: Reach, session_id: str, after: int = 0) -> AsyncGenerator[Event]:
    """Everything past the cursor, then what comes; ends when the session is deleted."""
    async with aclosing(bursts(reach, session_id, after)) as coming:
        async for burst in coming:
            for sent in burst:
                yield decode(sent.index, sent.body)


async def bursts(
    reach: Reach, session_id: str, after: int = 0, largest: int = LARGEST
) -> AsyncGenerator[list[Sent]]:
    """The same as bytes, as many at once as have come; an event has at most `largest` bytes."""
    cursor, known = after, False
    backoff = reach.backoff()
    while True:
        failure, at_least = Exception("the stream ended"), 0.0
        try:
            async with aclosing(_connection(reach, session_id, cursor, largest)) as connection:
                async for burst in connection:
                    known = True
                    backoff.reset()
                    if fresh := _past(reach, cursor, burst):
                        cursor = fresh[-1].index
                        yield fresh
                    if any(sent.name == "session-ended" for sent in burst):
                        return
        except NotFound:
            if not known:
                raise
            return
        except _NotNow as later:
            failure, at_least = later, later.at_least
        except LOST as error:
            failure = error
        await reach.pause(backoff, failure, at_least)


def _past(reach: Reach, cursor: int, burst: list[Sent]) -> list[Sent]:
    """The facts past the cursor, each past the one before it."""
    fresh: list[Sent] = []
    for sent in burst:
        if not sent.name and sent.index > cursor:
            if sent.index > LAST:
                raise reach.no_event()
            cursor = sent.index
            fresh.append(sent)
    return fresh


async def _connection(
    reach: Reach, session_id: str, cursor: int, largest: int
) -> AsyncGenerator[list[Sent]]:
    """What one connection brings, piece by piece; an empty one says that the server has begun to answer."""
    async with reach.http.get(
        reach.url(f"sessions/{session_id}/events"),
        params={"after": cursor},
        headers={"Accept": "text/event-stream"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=SILENCE, sock_read=SILENCE),
        allow_redirects=False,
    ) as response:
        reach.check_plain(response)
        if response.status != 200:
            told = problem(response.status, await reach.whole(response, LARGEST_PROBLEM))
            later = response.status in (*LATER, *UNSURE)
            raise _NotNow(told, retry_after(response)) if later else told
        reach.told("back")
        yield []
        lines = Lines()
        async for piece in response.content.iter_any():
            for at in range(0, len(piece), AT_ONCE):
                part = piece[at : at + AT_ONCE]
                if (crowd := part.count(b"\n")) > CROWD:
                    await FOREIGN_JSON.take(crowd * PER_LINE)
                yield lines.feed(part)
                if lines.held > largest:
                    raise reach.too_large(largest)
                await asyncio.sleep(0)
