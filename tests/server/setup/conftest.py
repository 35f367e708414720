"""The host, and somebody else, at a server that the tests of a module share."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.server.serving import Client, Serving


@pytest.fixture(scope="module")
def tokens(shared: Serving) -> dict[str, str]:
    return {name: shared.token(name) for name in ("host", "ada")}


@pytest_asyncio.fixture
async def host(shared: Serving, tokens: dict[str, str]) -> AsyncIterator[Client]:
    async with shared.client(tokens["host"]) as client:
        yield client


@pytest_asyncio.fixture
async def ada(shared: Serving, tokens: dict[str, str]) -> AsyncIterator[Client]:
    """Somebody of this home who is not the host."""
    async with shared.client(tokens["ada"]) as client:
        yield client
