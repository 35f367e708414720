"""A workspace and an open sandbox on it, of each kind that this machine has; one for all tests of a module."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Kind
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("bubblewrap", marks=needs_bubblewrap),
        pytest.param("landlock", marks=needs_landlock),
        "none",
    ],
)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture(scope="module")
def workspace(kind: Kind) -> Iterator[Path]:
    with rooms.open_folder() as base:
        made = base / "ws"
        made.mkdir()
        yield made


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, kind: Kind) -> Local:
    return Local(tmp_path_factory.mktemp("state"), best=kind, unsandboxed=kind == "none")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox(local: Local, workspace: Path) -> AsyncIterator[Opened]:
    opened = await local.open(Root(workspace))
    yield opened
    await opened.close()


@pytest.fixture
def pulse(workspace: Path) -> Iterator[rooms.Pulse]:
    made = rooms.Pulse(workspace)
    yield made
    made.close()
