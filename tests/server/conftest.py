"""A server of its own for each module's tests that share one, and for each test that needs its own."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from tests.server.driving import WAYS, Driver, driven
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


@pytest.fixture(scope="module")
def host_token(shared: Serving) -> str:
    """What the host is known by at the server that a module shares."""
    return shared.token()


@pytest.fixture(params=WAYS)
async def driver(
    shared: Serving, host_token: str, request: pytest.FixtureRequest
) -> AsyncGenerator[Driver]:
    """Somebody who uses the shared server, over HTTP and SSE and over the socket: the test runs over both."""
    async with shared.client(host_token) as client, driven(client, request.param) as driver:
        yield driver
