"""A server, somebody who uses it, and the project that it was started in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.serving import Client, Serving


class Desk:
    """One person's way to the files of the start folder's project."""

    def __init__(self, client: Client, project_id: str, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.at = f"/api/projects/{project_id}"


@pytest.fixture(scope="module")
def token(shared: Serving) -> str:
    return shared.token()


@pytest.fixture
async def desk(shared: Serving, token: str) -> AsyncIterator[Desk]:
    async with shared.client(token) as client:
        found = await client.get("/api/projects")
        yield Desk(client, found["projects"][0]["id"], shared.folder)
