"""What was said, found again or taken along: search, export, and what is too large to stand in a log."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from bottega.errors import BadUsage
from bottega.server.problems import responses
from bottega.server.sending import Streamed
from bottega.server.shapes.session import Deleted, Deletion
from bottega.server.shapes.usage import HitList, HitShape
from bottega.server.taken.everything import deleted, everything_of
from bottega.server.taken.pieces import (
    BLOB,
    BYTES,
    LARGEST,
    OUTPUT,
    TEXT,
    all_printed,
    piece_of,
    printed_of,
)
from bottega.server.who import Asked, OwnBlob, OwnOutput, OwnSession, Signed
from bottega.sessions.care.search import LONGEST_QUERY, Search
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
    response_class=Streamed,
    responses={**_FILE, **responses(404)},
)
async def export_session(
    house: Asked, session: OwnSession, format: Annotated[Format, Query()] = "jsonl"
) -> Streamed:
    """`jsonl` is everything and can be brought in again; `chat` is only what was said; `md` and `html` are to read."""
    runtime = house.studio.runtime
    kind, ending = _KINDS[format]
    headers = {
        "Content-Disposition": f'attachment; filename="{session.id}.{ending}"',
        **_HARMLESS,
    }
    return Streamed(export(runtime.database, runtime.blobs, session.row, format), headers, kind)


@router.get(
    "/sessions/{session_id}/blobs/{blob}",
    response_class=Streamed,
    responses={**BLOB, **responses(404)},
)
async def show_blob(
    blob: str,
    found: OwnBlob,
    offset: Annotated[int, Query(ge=0, le=2**53 - 1)] = 0,
    limit: Annotated[int, Query(ge=0, le=2**53 - 1, description="Bytes; 0: to the end.")] = 0,
    download: Annotated[bool, Query(description="As a file to keep.")] = False,
) -> Streamed:
    """A whole output, a picture, a side of a changed file. Its type is told by its bytes; what may run is text."""
    piece = await asyncio.to_thread(piece_of, found, offset, limit)
    headers = {**_HARMLESS, **piece.headers(blob, download=download)}
    return Streamed(piece.chunks, headers, piece.kind)


@router.get(
    "/sessions/{session_id}/outputs/{output_id}",
    response_class=Response,
    responses={**OUTPUT, **responses(404)},
)
async def show_output(
    found: OwnOutput,
    offset: Annotated[int, Query(ge=0, le=2**53 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=LARGEST, description="Bytes.")] = LARGEST // 4,
    download: Annotated[bool, Query(description="All of it, as a file to keep.")] = False,
) -> Response:
    """All that a command printed, as far as it was kept, a piece at a time, while it runs too."""
    if download:
        kept = {**_HARMLESS, "Content-Disposition": 'attachment; filename="output.txt"'}
        return Streamed(all_printed(found), kept, TEXT)
    start, printed, size = await asyncio.to_thread(printed_of, found, offset, limit)
    told = {"X-Start": str(start), "X-Next": str(start + len(printed)), "X-Size": str(size)}
    return Response(printed, 200, {**_HARMLESS, **told}, TEXT)


@router.get(
    "/data",
    response_class=Streamed,
    responses={200: {"description": "A zip.", "content": {"application/zip": BYTES}}},
)
async def take_everything(house: Asked, person: Signed) -> Streamed:
    """All that is stored of you: your sessions, each whole, your projects, and for the host the settings. No keys."""
    chunks = await asyncio.to_thread(everything_of, house, person)
    headers = {
        **_HARMLESS,
        "Content-Disposition": 'attachment; filename="bottega.zip"',
    }
    return Streamed(chunks, headers, "application/zip")


@router.delete("/data", responses=responses(409))
async def delete_everything(house: Asked, person: Signed, wish: Deletion) -> Deleted:
    """Delete all your sessions, for good; refused while one of them runs. What was spent stays counted."""
    if wish.confirm != person.name:
        raise BadUsage(
            "Nothing was deleted: `confirm` is not your name.", hint=f"Give {person.name!r}."
        )
    return Deleted(sessions=await deleted(house, person))


@router.get("/search")
async def search_sessions(
    house: Asked,
    person: Signed,
    q: Annotated[
        str, Query(max_length=LONGEST_QUERY, description="Words; each may be the begin of one.")
    ],
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
