"""A server that several files attack: each begins with what the one before left, as an attacker does."""

import resource
from collections.abc import Iterator

import pytest

from tests.attacks.hostile import Target, target
from tests.mcp.conftest import stage

__all__ = ["stage"]


@pytest.fixture(scope="session")
def attacked_by_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("attacked")) as started:
        yield started


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """For tests that hold very many connections: shells often start programs with fewer than there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
