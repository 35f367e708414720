"""A server that several files attack: each begins with what the one before left, as an attacker does."""

from collections.abc import Iterator

import pytest

from tests.attacks.hostile import Target, target


@pytest.fixture(scope="session")
def attacked_by_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("attacked")) as started:
        yield started
