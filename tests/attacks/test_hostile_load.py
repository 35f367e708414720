"""Severity: high (H5), as a load. Two hostile addresses and a hostile person at full rate; another person
works on."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.hostile import Person, Target, target
from tests.hunt import LONG

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from hostile_load import Load, measured, settled  # noqa: E402 - no package


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("load")) as started:
        yield started


def loaded(server: Target) -> Load:
    return Load(server.address, server.token("hostile"), server.token())


def attacked(server: Target, seconds: float) -> tuple[Load, float]:
    """What was noticed, and how long an answer takes in peace on this machine."""
    with Person(server) as host:
        session = host.session(model="guide")
    asked = measured(session)
    calm = loaded(server)
    for _ in range(2):
        calm.prompt(session)
        for each in asked:
            calm.ask(*each)
    load = loaded(server)
    load.run(seconds, session, *asked)
    return load, max(*calm.waits, calm.first_tokens[-1])


def judge(load: Load, calm: float) -> None:
    assert load.failures == []
    for waits in (sorted(load.waits), sorted(load.first_tokens)):
        assert waits[int(len(waits) * 0.9)] < 1.0 + 5 * calm, waits[-5:]
    assert sum(load.counts.values()) > 200


async def test_for_a_few_seconds_nobody_else_notices(server: Target) -> None:
    judge(*await asyncio.to_thread(attacked, server, 2))


@pytest.mark.chaos
@pytest.mark.skipif(not LONG, reason="a whole minute of it is a part of make chaos")
async def test_for_a_minute_nobody_else_notices_and_the_memory_comes_back(server: Target) -> None:
    await asyncio.to_thread(
        attacked, server, 5
    )  # what is made once, and kept, is there from here on
    before = settled(server.pid, 0, 10)
    judge(*await asyncio.to_thread(attacked, server, 60))
    after = settled(server.pid, int(before * 1.1), 40)
    assert after < before * 1.1, (before, after)
