from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.api.using import Api


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One server for all tests of a module: they must not mind each other's sessions."""
    made = Api(tmp_path_factory.mktemp("api"))
    with made.serving:
        yield made


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Api]:
    """A server of a test's own."""
    made = Api(tmp_path)
    with made.serving:
        yield made
