"""Models over HTTP: what can be used now, and what on this machine could be."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from bottega.server.shapes.setup.models import Chosen, Discovered, Models, Provider
from bottega.server.who import Asked, Hosting, Signed
from bottega.studio.setup.discovery import discover

router = APIRouter(tags=["models"])


@router.get("/models", summary="What each provider offers, or why it could not be asked")
async def models(
    house: Asked,
    person: Signed,
    refresh: Annotated[bool, Query(description="Ask the providers anew.")] = False,
) -> Models:
    runtime = house.studio.runtime
    runtime.refresh()
    lists = await house.offers.listed(refresh=refresh)
    chosen = await asyncio.to_thread(runtime.choose)
    return Models(
        default=Chosen(model=chosen.model, why=chosen.why),
        providers=[Provider.model_validate(each, from_attributes=True) for each in lists],
    )


@router.get("/models/default", summary="What new sessions use; no provider is asked")
async def default_model(house: Asked, person: Signed) -> Chosen:
    runtime = house.studio.runtime
    runtime.refresh()
    chosen = await asyncio.to_thread(runtime.choose)
    return Chosen(model=chosen.model, why=chosen.why)


@router.get("/discovery", summary="Keys in the environment, and model servers of this machine")
async def discovery(house: Asked, person: Hosting) -> Discovered:
    found = await discover(house.studio.runtime)
    return Discovered.model_validate(found, from_attributes=True)
