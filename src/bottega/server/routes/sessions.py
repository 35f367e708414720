"""Sessions: list them, begin one, look at one."""

from typing import Annotated

from fastapi import APIRouter, Query

from bottega.server.problems import responses
from bottega.server.shapes.session import SessionPage, SessionShape
from bottega.server.who import Asked, OwnSession, Signed

router = APIRouter(prefix="/sessions", tags=["sessions"])


@router.get("")
async def list_sessions(
    house: Asked,
    person: Signed,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str, Query(pattern=r"^(\d{1,15}-\d{1,15})?$")] = "",
) -> SessionPage:
    """The newest first. No body of any event is read for this."""
    at, _, n = before.partition("-")
    cursor = (int(at), int(n)) if before else None
    rows = await house.studio.runtime.sessions.list(limit, cursor, person.n)
    full = len(rows) == limit
    return SessionPage(
        sessions=[SessionShape.of(row) for row in rows],
        next=f"{rows[-1].updated_at}-{rows[-1].n}" if full else "",
    )


@router.get("/{session_id}", responses=responses(404))
async def show_session(session: OwnSession) -> SessionShape:
    return SessionShape.of(session.row)
