"""Severity: high (M8, its kind). A socket that has all its tabs listed over and over keeps nobody else waiting."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress

import pytest
from aiohttp import ClientWSTimeout

from tests.attacks.hostile import Person, Target, target
from tests.server.hub.wire import Wire, fresh, wired
from tests.server.serving import Client

TABS, SOCKETS, SECONDS = 2000, 12, 0.8
QUICK = 0.4
LEAVING = ClientWSTimeout(ws_close=0.05)
"""Whoever attacks does not wait for a goodbye."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("frames")) as started:
        with Person(started) as greedy:
            session = greedy.session()
        with sqlite3.connect(started.home / "bottega.db") as home:
            n, owner = home.execute(
                "SELECT n, owner FROM sessions WHERE id = ?", (session,)
            ).fetchone()
            home.executemany(
                "INSERT INTO tabs (person, id, session, created_at) VALUES (?, ?, ?, 1)",
                [(owner, fresh(), n) for _ in range(TABS)],
            )
        yield started


@pytest.fixture
async def greedy(server: Target) -> AsyncIterator[Client]:
    async with server.client() as client:
        yield client


async def _over_and_over(wire: Wire, until: float) -> None:
    with suppress(ConnectionError, TimeoutError, AssertionError):
        while time.monotonic() < until:
            await wire.send(type="restore", tabs=[])
            await asyncio.sleep(0.005)


async def test_listing_all_tabs_over_and_over_delays_nobody_else(
    server: Target, greedy: Client
) -> None:
    async with AsyncExitStack() as stack, server.client(server.token("other")) as other:
        wires = [
            await stack.enter_async_context(wired(greedy, timeout=LEAVING)) for _ in range(SOCKETS)
        ]
        until = time.monotonic() + SECONDS
        tasks = [asyncio.create_task(_over_and_over(wire, until)) for wire in wires]
        worst = 0.0
        while time.monotonic() < until:
            begun = time.monotonic()
            await other.get("/api/me")
            worst = max(worst, time.monotonic() - begun)
            await asyncio.sleep(0.02)
        await asyncio.gather(*tasks)
    assert worst < QUICK
    assert server.stalls(0.2) == []


async def test_all_tabs_are_still_listed(greedy: Client) -> None:
    async with wired(greedy) as wire:
        listed = await wire.ask(type="restore", tabs=[])
        assert len(listed["tabs"]) == TABS
        named = listed["tabs"][7]["tab_id"]
        asked = [{"tab_id": each, "last_seen": 0} for each in (named, fresh())]
        some = await wire.ask(type="restore", tabs=asked)
    assert [each["tab_id"] for each in some["tabs"]] == [named]
    assert some["gone"] == [asked[1]["tab_id"]]
