"""Agents over HTTP: who can be chosen, and agents of the host's own."""

import asyncio

from fastapi import APIRouter

from bottega.server.problems import responses
from bottega.server.shapes.setup.agents import (
    Agent,
    AgentPage,
    Agents,
    DraftAgent,
    Judgement,
    WrittenAgent,
    agent,
    page,
)
from bottega.server.who import AgentSlug, AnyAgent, Asked, Hosting, Signed
from bottega.studio.setup import agents

router = APIRouter(prefix="/agents", tags=["agents"])


@router.get("", summary="Who can be chosen, the broken ones too, with what is wrong with them")
async def all_agents(house: Asked, person: Signed) -> Agents:
    runtime = house.studio.runtime
    values = runtime.refresh().values
    return Agents(
        agents=[
            agent(runtime, each, person.n)
            for each in await asyncio.to_thread(runtime.sharing.agents, person.n)
        ],
        mode=values.mode,
    )


@router.post("/validate", summary="All that is wrong with an agent, before it is written")
async def validate(house: Asked, person: Hosting, draft: DraftAgent) -> Judgement:
    found = await asyncio.to_thread(agents.judge, house.studio.runtime, draft.source, draft.slug)
    return Judgement(
        usable=bool(found.spec and not found.problems),
        problems=list(found.problems),
        notes=list(found.notes),
    )


@router.get("/{slug}", summary="One agent, its prompt too", responses=responses(404))
async def one_agent(house: Asked, person: Signed, found: AnyAgent) -> AgentPage:
    runtime = house.studio.runtime
    runtime.refresh()
    return page(runtime, found, person.n)


@router.put(
    "/{slug}", summary="Write an agent of the host's own", responses=responses(404, 409, 503)
)
async def write_agent(
    house: Asked, person: Hosting, slug: AgentSlug, written: WrittenAgent
) -> Agent:
    runtime = house.studio.runtime
    found = await asyncio.to_thread(agents.put, runtime, slug, written.source)
    return agent(runtime, found, person.n)


@router.delete(
    "/{slug}",
    status_code=204,
    summary="Remove an agent of the host's own",
    responses=responses(404, 409),
)
async def remove_agent(house: Asked, person: Hosting, slug: AgentSlug) -> None:
    await asyncio.to_thread(agents.remove, house.studio.runtime, slug)
