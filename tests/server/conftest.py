"""A server of its own for each module's tests that share one, and for each test that needs its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
