"""The facts of a session that a server has stored, read backwards in pages: what is old only if it is needed."""

from collections.abc import AsyncIterator

import msgspec

from bottega.client.shapes import Page
from bottega.errors import NotFound
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.events.facts import DELTAS
from bottega.reach.reach import Reach

PAGE = 200
"""Facts that are fetched at once."""
LAST = 2**53 - 1
"""Above every index."""

Row = tuple[int, bytes]


MOST_PAGE = 10_000_000
"""Fields and elements of a page of facts."""


class _Kind(msgspec.Struct):
    type: str


_kind = msgspec.json.Decoder(_Kind).decode


async def page(reach: Reach, session_id: str, before: int, limit: int) -> list[Row]:
    """The last facts (no deltas) below an index, oldest first, as they were stored."""
    query = {"before": before, "limit": limit}
    body = await reach.call("GET", f"sessions/{session_id}/tail", query=query)
    found = reach.read(body, Page, MOST_PAGE)
    return [(index, bytes(raw)) for index, raw in found.events if not _is_delta(raw)]


def _is_delta(body: msgspec.Raw) -> bool:
    """Of an answer that is being written its pieces are told too."""
    return _kind(body).type in DELTAS


async def pages(reach: Reach, session_id: str, before: int = LAST) -> AsyncIterator[list[Row]]:
    """All of them, the newest page first."""
    while before > 1 and (found := await page(reach, session_id, before, PAGE)):
        yield found
        before = found[0][0]


async def tail(reach: Reach, session_id: str, limit: int) -> list[Event]:
    rows = await page(reach, session_id, LAST, limit)
    return [decode(index, body) for index, body in rows]


async def rows(reach: Reach, session_id: str) -> list[Row]:
    """Every fact, oldest first."""
    found: list[Row] = []
    async for each in pages(reach, session_id):
        found = each + found
    return found


async def fold_start(reach: Reach, session_id: str, after: int) -> int:
    """The last index up to `after` at which no exchange was under way: where a fold may begin empty."""
    async for found in pages(reach, session_id, after + 1):
        for index, body in reversed(found):
            if decode(index, body).type == "exchange_response":
                return index
    return 0


async def index_of(reach: Reach, session_id: str, message_id: str) -> int:
    """Where a prompt was queued."""
    async for found in pages(reach, session_id):
        for index, body in found:
            fact = decode(index, body)
            if fact.type == "prompt_queued" and fact.message_id == message_id:
                return index
    raise NotFound(
        f"There is no prompt {message_id!r} in this session.",
        hint="Open the session to see its prompts.",
    )
