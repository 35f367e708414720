"""What a person turns over in a session: fork it, reset it, clear it, close it, compact it."""

from functools import partial

from fastapi import APIRouter

from bottega.server.problems import responses
from bottega.server.shapes.session import Compacted, Fork, SessionShape, Turned, Undo, Undone
from bottega.server.who import Asked, OwnSession
from bottega.sessions.fork import fork

router = APIRouter(prefix="/sessions/{session_id}", tags=["sessions"])


@router.post("/fork", status_code=201, responses=responses(404, 409, 507))
async def fork_session(house: Asked, session: OwnSession, at: Fork) -> SessionShape:
    """A new session that begins as this one was at that index; what is open there is closed in it."""
    runtime = house.studio.runtime
    index = session.row.last_index if at.index is None else at.index
    runtime.per_person.disk.refuse_when_full()
    await runtime.database.read(lambda c: runtime.sessions.refuse_too_many(c, session.row.owner))
    admit = partial(runtime.per_person.keeping.admit, session.row.owner)
    async with house.forking.hold(session.row.owner):
        row = await fork(runtime.database, runtime.blobs, session.row, index, at.title, admit)
    return SessionShape.of(row, house.projects.of(row.owner))


@router.post("/reset", responses=responses(404, 409))
async def reset_session(session: OwnSession) -> Turned:
    """The model begins anew; the log keeps all."""
    return Turned(changed=await session.reset())


@router.post("/clear", responses=responses(404, 409))
async def clear_session(session: OwnSession) -> Turned:
    """Delete all that was said here, for good; the session itself stays."""
    await session.clear()
    return Turned(changed=True)


@router.post("/close", responses=responses(404))
async def close_session(session: OwnSession) -> Turned:
    """Stop what runs or waits here, and free what is held for it; the next prompt opens it again."""
    await session.close()
    return Turned(changed=True)


@router.post("/compact", responses=responses(404, 409, 503))
async def compact_session(session: OwnSession) -> Compacted:
    """Have a summary stand for all but the last turns. Answers once the model has written it."""
    return Compacted(changed=await session.compact())


@router.post("/undo-compaction", responses=responses(404))
async def undo_compaction(session: OwnSession, undo: Undo) -> Undone:
    """Let the model see again what a compaction dropped."""
    return Undone(compaction=await session.undo_compaction(undo.compaction))
