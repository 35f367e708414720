"""The log of a session, as pages and as a stream: the same bytes under the same indexes."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from bottega.server import sse
from bottega.server.problems import responses
from bottega.server.shapes.talk.event import EventPage, listed
from bottega.server.who import Asked, Calling, OwnSession
from bottega.sessions.log import frames

router = APIRouter(prefix="/sessions/{session_id}", tags=["events"])

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A page; with `Accept: text/event-stream`, a stream that goes on.",
        "content": {sse.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/EventStream"}}},
    }
}


@router.get("/events", response_model=EventPage, responses={**_STREAM, **responses(404)})
async def follow_events(  # noqa: PLR0913 - each is a word of its own
    request: Request,
    house: Asked,
    caller: Calling,
    session: OwnSession,
    after: Annotated[int, Query(ge=0, le=2**53 - 1, description="The last index you have.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="Of a page.")] = 500,
    last_event_id: Annotated[str, Header(pattern=r"^[0-9]{0,16}$")] = "",
) -> Response:
    """Everything past a cursor: a page of it, or all of it and then what comes."""
    cursor = int(last_event_id) if last_event_id else after
    if sse.MEDIA_TYPE not in request.headers.get("accept", ""):
        return await _page(house, session, cursor, limit)

    house.followers.refuse_too_many(caller.person.n)

    async def speak(write: sse.Write) -> None:
        log = house.studio.runtime.log
        with house.followers.counted(caller.person.n):
            if not await sse.follow(log, session.row.n, cursor, write):
                await write(sse.ended(session.id))

    signed_in = partial(house.proofs.signed_in, caller.words, caller.kind)
    return sse.Stream(speak, house.closing, signed_in)


async def _page(house: Asked, session: OwnSession, after: int, limit: int) -> Response:
    rows = await house.studio.runtime.log.page(session.row.n, after, limit)
    gaps = [frame.trimmed for frame in frames(rows, after) if frame.trimmed]
    trimmed = b",".join(b"[%d,%d]" % gap for gap in gaps)
    body = b'{"events":%b,"trimmed":[%b],"last_index":%d}' % (
        *(listed(rows), trimmed, max(session.row.last_index, rows[-1][0] if rows else 0)),
    )
    return Response(body, media_type="application/json")
