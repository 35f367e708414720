"""Two people at one server: the host, and a guest with a project of their own."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.projects.projects import Projects
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.server.hub.wire import Wire, wire_to
from tests.server.serving import Serving


@pytest.fixture(scope="module")
def tokens(shared: Serving) -> dict[str, str]:
    """What the two are known by."""
    return asyncio.run(people_of(shared))


async def people_of(serving: Serving) -> dict[str, str]:
    database = Database.open(Home(serving.home), MIGRATIONS)
    people, passes = People(database), Passes(database, secret(serving.home))
    guest = await people.add("guest")
    place = Path(serving.folder).parent / "guests"
    place.mkdir(exist_ok=True)
    await Projects(database).add(place, guest.n)
    tokens = {p.name: await passes.give(p, "token") for p in (people.host(), guest)}
    database.close()
    return tokens


@pytest.fixture
async def wire(shared: Serving, tokens: dict[str, str]) -> AsyncGenerator[Wire]:
    """A socket of the host's."""
    async with wire_to(shared, tokens["host"]) as wire:
        yield wire


@pytest.fixture
async def guest(shared: Serving, tokens: dict[str, str]) -> AsyncGenerator[Wire]:
    """A socket of the guest's."""
    async with wire_to(shared, tokens["guest"]) as wire:
        yield wire
