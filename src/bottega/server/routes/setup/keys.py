"""Keys over HTTP: put in, tested, taken out, and never given back. The host's alone."""

import asyncio

from fastapi import APIRouter

from bottega.providers.provider import Failed
from bottega.server.problems import responses
from bottega.server.shapes.setup.keys import (
    GivenKey,
    Key,
    Keys,
    PastedKey,
    Tested,
    TriedKey,
    Whose,
)
from bottega.server.shapes.setup.models import Offered
from bottega.server.who import Asked, Hosting, KeyName
from bottega.studio.setup import keys

router = APIRouter(prefix="/keys", tags=["keys"])


@router.get("", summary="Which keys there are, and where each comes from", responses=responses(503))
async def all_keys(house: Asked, person: Hosting) -> Keys:
    found = await asyncio.to_thread(keys.listed, house.studio.runtime.refresh())
    return Keys(keys=[Key.model_validate(each, from_attributes=True) for each in found])


@router.post("/whose", summary="Which providers a key may be of; it is neither kept nor sent on")
async def whose_key(house: Asked, person: Hosting, pasted: PastedKey) -> Whose:
    found = keys.whose(house.studio.runtime.refresh(), pasted.key.get_secret_value())
    return Whose.model_validate(found, from_attributes=True)


@router.put("/{name}", status_code=204, summary="Keep a key", responses=responses(503))
async def keep_key(house: Asked, person: Hosting, name: KeyName, given: GivenKey) -> None:
    settings = house.studio.runtime.refresh()
    await asyncio.to_thread(keys.keep, settings, name, given.key.get_secret_value())
    house.offers.forget()


@router.delete(
    "/{name}", status_code=204, summary="Forget a key that is kept", responses=responses(404, 503)
)
async def forget_key(house: Asked, person: Hosting, name: KeyName) -> None:
    await asyncio.to_thread(house.studio.runtime.keys.remove, name)
    house.offers.forget()


@router.post("/{name}/test", summary="Ask the provider whether it takes its key")
async def try_key(
    house: Asked, person: Hosting, name: KeyName, given: TriedKey | None = None
) -> Tested:
    runtime = house.studio.runtime
    runtime.refresh()
    key = given.key.get_secret_value() if given and given.key else ""
    found = await keys.tried(runtime, name, key)
    if isinstance(found, Failed):
        return Tested(takes=False, code=found.code, problem=found.message, hint=found.hint)
    suggested = found.suggested and Offered.model_validate(found.suggested, from_attributes=True)
    return Tested(takes=True, models=len(found.models), suggested=suggested)
