"""What was used and what is held: usage, the model's window, things to do."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from bottega.events import facts
from bottega.events.codec import decode
from bottega.server.problems import responses
from bottega.server.shapes.usage import (
    ContextShape,
    DayShape,
    SessionUsage,
    TodoList,
    TodoShape,
    UsageByDay,
    UsedShape,
    WindowShape,
)
from bottega.server.who import Asked, OwnSession, Signed
from bottega.sessions import spent
from bottega.sessions.told.tail import newest

router = APIRouter(tags=["usage"])


@router.get("/usage")
async def show_usage(
    house: Asked, person: Signed, days: Annotated[int, Query(ge=1, le=3650)] = 30
) -> UsageByDay:
    """What you used, by day (UTC) and model, and how much of the limit on all exchanges together."""
    runtime = house.studio.runtime
    values = runtime.settings.values
    found = await spent.by_day(runtime.database, person.n, days)
    lately = await spent.lately(runtime.database, values.window_hours, person.n)
    limit = round(values.window_usd * 1_000_000) or None
    return UsageByDay(
        days=[
            DayShape(at=each.at, **UsedShape.of(each.model, each.used).model_dump())
            for each in found
        ],
        window=WindowShape(hours=values.window_hours, cost=lately.cost, limit=limit),
    )


@router.get("/sessions/{session_id}/usage", responses=responses(404))
async def show_session_usage(house: Asked, session: OwnSession) -> SessionUsage:
    """Of the session and all its children."""
    runtime = house.studio.runtime
    tree = [session.row.n, *(row.n for row in runtime.sessions.beneath(session.row))]
    used = await spent.by_model(runtime.database, tree)
    models = [UsedShape.of(model, each) for model, each in used.items()]
    return SessionUsage(
        models=models,
        calls=sum(each.calls for each in models),
        tokens=sum(each.tokens for each in models),
        cost=sum(each.cost for each in models),
    )


@router.get("/sessions/{session_id}/context", responses=responses(404))
async def show_context(session: OwnSession) -> ContextShape:
    """How full the model's window is, and with what."""
    found = await session.context()
    return ContextShape(
        model=found.model,
        window=found.window,
        assumed=found.assumed,
        tokens=found.tokens,
        counted=found.counted,
        percent=found.percent,
        parts=found.parts,
        compact_at=found.compact_at,
    )


@router.get("/sessions/{session_id}/todos", responses=responses(404))
async def show_todos(house: Asked, session: OwnSession) -> TodoList:
    """The list as the agent left it; after a reset there is none."""
    row = await newest(house.studio.runtime.log, session.row.n, "todos_changed", "session_reset")
    last = (await asyncio.to_thread(decode, *row)).data if row else None
    todos = last.todos if isinstance(last, facts.TodosChanged) else ()
    return TodoList(
        todos=[
            TodoShape(content=each.content, status=each.status, priority=each.priority)
            for each in todos
        ]
    )
