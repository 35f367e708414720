"""A server of its own for each module's tests that share one, and for each test that needs its own."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from tests.server.belongings import MAKERS, Owner, owner_of
from tests.server.serving import Serving


@pytest.fixture
def serving(home: Path, folder: Path) -> Iterator[Serving]:
    with Serving(home, folder) as server:
        yield server


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for all tests of a module: they must not mind each other's sessions."""
    place = tmp_path_factory.mktemp("serving")
    (place / "project").mkdir()
    with Serving(place / "home", place / "project") as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def people(
    shared: Serving, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[list[Owner]]:
    """Ada, Bob and the host, each with one of everything that has an owner."""
    place = tmp_path_factory.mktemp("people")
    async with AsyncExitStack() as stack:
        owners: list[Owner] = []
        for name in ("ada", "bob", "host"):
            client = await stack.enter_async_context(shared.client(shared.token(name)))
            owner = await owner_of(shared, name, client, place / name)
            owners.append(await owner.make(*MAKERS))
        yield owners
