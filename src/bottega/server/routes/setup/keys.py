"""Keys over HTTP: put in, tested, taken out, and never given back. The host's alone."""

import asyncio

from fastapi import APIRouter

from bottega.providers.provider import Failed
from bottega.server.problems import responses
from bottega.server.shapes.keys import GivenKey, Key, Keys, Tested
from bottega.server.who import Asked, Hosting, KeyName
from bottega.studio.setup import keys

router = APIRouter(prefix="/keys", tags=["keys"])


@router.get("", summary="Which keys there are, and where each comes from", responses=responses(503))
async def all_keys(house: Asked, person: Hosting) -> Keys:
    found = await asyncio.to_thread(keys.listed, house.studio.runtime.refresh())
    return Keys(keys=[Key.model_validate(each, from_attributes=True) for each in found])


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
async def test_key(house: Asked, person: Hosting, name: KeyName) -> Tested:
    runtime = house.studio.runtime
    runtime.refresh()
    found = await keys.test(runtime, name)
    if isinstance(found, Failed):
        return Tested(takes=False, problem=found.message, hint=found.hint)
    return Tested(takes=True, models=len(found))
