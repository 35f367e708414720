"""What was said, found again or taken along: search and export."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from bottega.server.problems import responses
from bottega.server.shapes.usage import HitList, HitShape
from bottega.server.who import Asked, OwnSession, Signed
from bottega.sessions.care.search import Search
from bottega.sessions.exports.export import Format, export

router = APIRouter(tags=["sessions"])

_KINDS: dict[Format, tuple[str, str]] = {
    "jsonl": ("application/x-ndjson", "jsonl"),
    "chat": ("application/x-ndjson", "chat.jsonl"),
    "md": ("text/markdown", "md"),
    "html": ("text/html", "html"),
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The session as a file.",
        "content": {kind: {"schema": {"type": "string"}} for kind, _ in _KINDS.values()},
    }
}
_HARMLESS = {
    # What a model wrote is shown as a file, and never as a page of this address.
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


@router.get(
    "/sessions/{session_id}/export",
    response_class=StreamingResponse,
    responses={**_FILE, **responses(404)},
)
async def export_session(
    house: Asked, session: OwnSession, format: Annotated[Format, Query()] = "jsonl"
) -> StreamingResponse:
    """`jsonl` is everything and can be brought in again; `chat` is only what was said; `md` and `html` are to read."""
    runtime = house.studio.runtime
    kind, ending = _KINDS[format]
    return StreamingResponse(
        export(runtime.database, runtime.blobs, session.row, format),
        media_type=kind,
        headers={
            "Content-Disposition": f'attachment; filename="{session.id}.{ending}"',
            **_HARMLESS,
        },
    )


@router.get("/search")
async def search_sessions(
    house: Asked,
    person: Signed,
    q: Annotated[str, Query(max_length=1000, description="Words; each may be the begin of one.")],
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> HitList:
    """The newest events of your sessions that hold every word."""
    hits = await Search(house.studio.runtime.database).search(q, limit, owner=person.n)
    return HitList(
        hits=[
            HitShape(
                session_id=hit.session_id,
                title=hit.title,
                index=hit.index,
                at=hit.at,
                snippet=hit.snippet,
                child_of=hit.child_of,
            )
            for hit in hits
        ]
    )
