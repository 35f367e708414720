"""What a session changed in its folder: looked at, and undone."""

import asyncio

from fastapi import APIRouter

from bottega.errors import NotFound
from bottega.projects.files.compare import Compared, compared
from bottega.server.problems import responses
from bottega.server.shapes.changes import ChangeList, Revert, UndoneShape
from bottega.server.shapes.files import ComparedShape
from bottega.server.shapes.place import NamedQuery
from bottega.server.who import OwnSession
from bottega.studio.worked import Worked

router = APIRouter(prefix="/sessions/{session_id}", tags=["changes"])


@router.get("/changes", responses=responses(404))
async def list_changes(session: OwnSession) -> ChangeList:
    """Every file that is other than before the session, its children's work included."""
    worked = await session.changes()
    return await asyncio.to_thread(ChangeList.of, worked)


@router.get("/changes/diff", responses=responses(404))
async def show_change(session: OwnSession, path: NamedQuery) -> ComparedShape:
    """One file from before the session to what the session left. `version` is the latter."""
    worked = await session.changes()
    return ComparedShape.of(await asyncio.to_thread(_compared, worked, path))


def _compared(worked: Worked, path: str) -> Compared:
    for work in worked.works:
        if work.path == path:
            return compared(worked.difference(work), work.after)
    raise NotFound(f"The session has not changed {path!r}.", hint="Its changes list what it has.")


@router.post("/revert", responses=responses(404, 409, 503))
async def revert_changes(session: OwnSession, wanted: Revert) -> UndoneShape:
    """Bring files back to what they were before the session; what somebody changed since is left, and told."""
    undone = await session.revert(None if wanted.all else wanted.paths, force=wanted.force)
    return UndoneShape.of(undone)
