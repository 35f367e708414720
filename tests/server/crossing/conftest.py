"""One server for all who cross their ids, and three people at it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from tests.server.crossing.belongings import MAKERS, Owner, owner_of
from tests.server.serving import Serving


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("crossing")
    (place / "project").mkdir()
    with Serving(place / "home", place / "project") as server:
        yield server


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def people(
    served: Serving, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[list[Owner]]:
    """Ada, Bob and the host, each with one of everything that has an owner."""
    place = tmp_path_factory.mktemp("people")
    async with AsyncExitStack() as stack:
        owners: list[Owner] = []
        for name in ("ada", "bob", "host"):
            owner = await stack.enter_async_context(owner_of(served, name, place / name))
            owners.append(await owner.make(*MAKERS))
        yield owners
