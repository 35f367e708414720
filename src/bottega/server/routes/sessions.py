"""Sessions: list them, begin one, open one at its end, rename or delete it."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from bottega.approvals.mode import narrower
from bottega.server import speaking
from bottega.server.house import House
from bottega.server.problems import responses
from bottega.server.shapes.session import (
    ClientTools,
    NewSession,
    OpenSession,
    SessionChange,
    SessionList,
    SessionPage,
    SessionShape,
)
from bottega.server.shapes.talk.event import TailShape, listed
from bottega.server.who import Asked, OwnSession, Signed
from bottega.sessions import clients
from bottega.sessions.care import retention
from bottega.sessions.session import SessionRow
from bottega.sessions.told.tail import Tail, tail

router = APIRouter(prefix="/sessions", tags=["sessions"])

MOST_CHILDREN = 1_000
"""That a list of them shows: the first ones."""

Limit = Annotated[int, Query(ge=1, le=500)]
Before = Annotated[
    int, Query(ge=0, le=2**53 - 1, description="Below this index; 0: the last ones.")
]


@router.get("")
async def list_sessions(
    house: Asked,
    person: Signed,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str, Query(pattern=r"^([0-9]{1,15}-[0-9]{1,15})?$")] = "",
    archived: Annotated[bool, Query(description="Only those that are, or are not.")] = False,
    pinned: Annotated[bool | None, Query(description="The same; left out: all.")] = None,
) -> SessionPage:
    """The newest first. No body of any event is read for this."""
    at, _, n = before.partition("-")
    cursor = (int(at), int(n)) if before else None
    rows = await house.studio.runtime.sessions.list(
        limit, cursor, person.n, pinned=pinned, archived=archived
    )
    full = len(rows) == limit
    own = house.projects.of(person.n)
    return SessionPage(
        sessions=[SessionShape.of(row, own) for row in rows],
        next=f"{rows[-1].updated_at}-{rows[-1].n}" if full else "",
    )


@router.post("", status_code=201, responses=responses(404, 409))
async def begin_session(house: Asked, person: Signed, new: NewSession) -> SessionShape:
    """In a folder of one of your projects."""
    session = await speaking.begin(
        house,
        person,
        project_id=new.project_id,
        container=new.container,
        agent=new.agent,
        model=new.model,
        mode=new.mode,
        title=new.title,
    )
    return _shape(house, session.row)


@router.get("/{session_id}", response_model=OpenSession, responses=responses(404))
async def show_session(house: Asked, session: OwnSession, limit: Limit = 100) -> Response:
    """One session, with the end of what was said: however long it is, only that is read."""
    found = await tail(house.studio.runtime.log, session.row.n, limit=limit)
    shape = _shape(house, session.row).model_dump_json().encode()[:-1]
    mode = session.mode.encode()
    return _json(b'%b,"mode_in_force":"%b","tail":%b}' % (shape, mode, _tail(found)))


@router.get("/{session_id}/tail", response_model=TailShape, responses=responses(404))
async def show_tail(
    house: Asked, session: OwnSession, before: Before = 0, limit: Limit = 100
) -> Response:
    """The last facts below an index, oldest first."""
    return _json(_tail(await tail(house.studio.runtime.log, session.row.n, before, limit)))


@router.patch("/{session_id}", responses=responses(404, 507))
async def change_session(house: Asked, session: OwnSession, change: SessionChange) -> SessionShape:
    """What is wrong with any of it changes nothing at all."""
    runtime = house.studio.runtime
    widens = change.mode is not None and narrower(change.mode, session.mode) != change.mode
    if change.agent or change.model or widens:  # to allow less is never refused
        await runtime.per_person.admit(session.row.owner, change.agent, change.model, change.mode)
    if change.agent is not None:
        runtime.agent(change.agent, session.row.owner)
    if change.model is not None:
        runtime.model(change.model)
    if change.title is not None:
        await runtime.sessions.rename(session.id, change.title)
    await runtime.sessions.tidy(session.row, pinned=change.pinned, archived=change.archived)
    if change.mode is not None:
        await session.change_mode(change.mode)
    if change.agent is not None:
        await session.change_agent(change.agent)
    if change.model is not None:
        await session.change_model(change.model)
    return _shape(house, runtime.sessions.get(session.id))


@router.delete("/{session_id}", status_code=204, responses=responses(404, 409))
async def delete_session(house: Asked, session: OwnSession) -> None:
    """For good, with its children; one in which something runs is not deleted."""
    runtime = house.studio.runtime
    await retention.delete(runtime.database, runtime.log, runtime.blobs, session.row)
    await session.free()


@router.get("/{session_id}/children", responses=responses(404))
async def list_children(house: Asked, session: OwnSession) -> SessionList:
    """The sessions that its agent handed tasks to, the oldest first."""
    runtime = house.studio.runtime
    rows = await runtime.database.read(lambda _: runtime.sessions.children(session.row.n))
    own = house.projects.of(session.row.owner)
    return SessionList(sessions=[SessionShape.of(row, own) for row in rows[:MOST_CHILDREN]])


def _shape(house: House, row: SessionRow) -> SessionShape:
    return SessionShape.of(row, house.projects.of(row.owner))


@router.get("/{session_id}/tools", responses=responses(404))
async def list_client_tools(house: Asked, session: OwnSession) -> ClientTools:
    """The tools that the clients of this session run themselves."""
    return ClientTools.of(clients.listed(house.studio.runtime.database, session.row.n))


@router.put("/{session_id}/tools", responses=responses(404, 507))
async def declare_client_tools(session: OwnSession, wanted: ClientTools) -> ClientTools:
    """These from now on, and no others: a call of one waits until somebody answers it with `result`."""
    await session.declare_tools(wanted.meant())
    return wanted


def _tail(found: Tail) -> bytes:
    more = b"true" if found.more else b"false"
    return b'{"events":%b,"cursor":%d,"more":%b}' % (listed(found.rows), found.cursor, more)


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")
