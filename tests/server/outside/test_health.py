"""Whether it is alive, and whether it can do its work."""

import asyncio
import sqlite3
from pathlib import Path

import aiohttp

from bottega.server.house import House, Options
from bottega.server.outside.readiness import Readiness
from bottega.server.staff.staff import Alone, Member
from bottega.settings import load
from bottega.studio import Studio
from tests.server.serving import Serving


async def answer(serving: Serving, path: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession(serving.address) as stranger,
        stranger.get(path) as response,
    ):
        return response.status, await response.text()


async def test_a_stranger_learns_that_it_lives_and_nothing_else(serving: Serving) -> None:
    assert await answer(serving, "/healthz") == (200, '{"alive":true}')
    assert await answer(serving, "/readyz") == (200, '{"ready":true,"reasons":[]}')


async def test_who_only_asks_whether_it_answers_gets_no_body(serving: Serving) -> None:
    async with aiohttp.ClientSession(serving.address) as stranger:
        for path in ("/", "/healthz", "/readyz"):
            async with stranger.head(path) as response:
                assert (response.status, await response.read()) == (200, b""), path


async def test_a_database_that_cannot_be_written_makes_it_not_ready_until_it_can_again(
    serving: Serving,
) -> None:
    other = sqlite3.connect(serving.home / "bottega.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        status, told = await answer(serving, "/readyz")
        assert (status, told) == (503, '{"ready":false,"reasons":["database"]}')
        assert (await answer(serving, "/healthz"))[0] == 200
    finally:
        other.execute("ROLLBACK")
        other.close()
    async with asyncio.timeout(10):
        while (await answer(serving, "/readyz"))[0] != 200:
            await asyncio.sleep(0.1)


class Nobody(Alone):
    """Nobody is there to work."""

    def members(self) -> list[Member]:
        return [Member("w1", 0, "resting", 3, 0)]


async def test_a_dead_worker_and_a_full_disk_are_told_by_their_codes(home: Path) -> None:
    async with Studio(settings=load(home=home)) as studio:
        house = House(studio, b"x" * 32, Options())
        assert await Readiness(house, little=0).reasons() == []
        house.staff = Nobody(studio)
        assert await Readiness(house, little=2**62).reasons() == ["worker", "disk"]


async def test_what_was_found_is_told_again_for_a_moment(home: Path) -> None:
    async with Studio(settings=load(home=home)) as studio:
        readiness = Readiness(House(studio, b"x" * 32, Options()), little=0)
        before = studio.runtime.database.writer.commits
        await asyncio.gather(*(readiness.reasons() for _ in range(50)))
        assert studio.runtime.database.writer.commits - before <= 1
