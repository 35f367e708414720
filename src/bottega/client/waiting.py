"""What waits for an answer at a server: its list is in pages, and leaves out what is large."""

from bottega.client import shapes
from bottega.reach.reach import Reach


async def asks(reach: Reach, session_id: str = "") -> list[shapes.AskShape]:
    """All of one's own, each whole, the oldest first; in one session, or in every."""
    found: list[shapes.AskShape] = []
    query: dict[str, str | int] = {"session_id": session_id} if session_id else {}
    while True:
        body = await reach.call("GET", "asks", query=query)
        page = reach.read(body, shapes.AskPage)
        found += [await _whole(reach, each) if each.cut else each for each in page.asks]
        if not page.next:
            return found
        query["after"] = page.next


async def _whole(reach: Reach, ask: shapes.AskShape) -> shapes.AskShape:
    return reach.read(await reach.call("GET", f"asks/{ask.id}"), shapes.AskShape)
