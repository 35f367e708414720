"""Severity: high (M8). One person stores as much as one may; every list of another costs what it did before.

Every GET route of the OpenAPI document that can be asked with what a person has is tried.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from bottega.events import facts
from bottega.runtime import MIGRATIONS
from bottega.sessions import asks
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.attacks.two_people import Person, both, crowded
from tests.server.serving import Client, Serving

ASKS, SIZE = 60, 400_000
PROMPTS = 12
MOST = 3_000_000
"""Bytes of one answer."""
ASIDE = {"/api/openapi.json", "/api/models", "/api/discovery", "/api/data"}
"""Not a list, or asked of others: models of providers, all that one has."""
NOISE = 0.05
TICK = 1 / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with crowded(tmp_path_factory.mktemp("lists"), concurrency="1") as server:
        yield server


@pytest.fixture(scope="module")
def costs(serving: Serving) -> dict[str, tuple[float, float]]:
    """Of each list of the host's: seconds of the server's CPU before the other one stored anything, and after."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _measured(serving)).result()


async def _measured(serving: Serving) -> dict[str, tuple[float, float]]:
    async with both(serving) as (greedy, host):
        session = await host.begin()
        lists = await routes(host, session)
        await asyncio.gather(*(host.client.call("GET", path) for path in lists))
        before = {path: await cost(serving, host.client, path) for path in lists}
        await fill(serving, greedy)
        return {
            path: (once, await cost_now(serving, host.client, path, once))
            for path, once in before.items()
        }


async def fill(serving: Serving, greedy: Person) -> None:
    """Large questions that are open, and large prompts that wait."""
    session = await greedy.begin()
    busy = await greedy.begin()
    await greedy.say(busy, "STREAM 1000 100")
    for n in range(PROMPTS):
        status, told = await greedy.say(session if n % 2 else busy, f"STREAM 900 100\n{'y' * SIZE}")
        assert status == 202, told
    database = Database.open(Home(serving.home), MIGRATIONS)
    try:
        await database.write(lambda c: _ask(c, session))
    finally:
        database.close()


def _ask(connection: Any, session: str) -> None:
    (n,) = connection.execute("SELECT n FROM sessions WHERE id = ?", (session,)).fetchone()
    for number in range(ASKS):
        asked = facts.ApprovalRequired(
            f"ask-{number}", "tool", "t", "write_file", "h", "?", ("y",), {"diff": "+" * SIZE}
        )
        asks.insert(connection, n, "m", asked, {"path": "f", "content": "x" * SIZE})


async def routes(person: Person, session: str) -> list[str]:
    """Every GET route, with what this person has in the place of names."""
    async with person.client.session.get("/api/openapi.json") as answer:
        paths: dict[str, Any] = (await answer.json())["paths"]
    values = {"session_id": session, "project_id": person.project, "q": "hello", "path": "."}
    found: list[str] = []
    for path, methods in paths.items():
        if "get" not in methods or path in ASIDE or path.endswith("export"):
            continue
        needed = [each for each in methods["get"].get("parameters", ()) if each.get("required")]
        if all(each["name"] in values for each in needed):
            query = "&".join(
                f"{each['name']}={quote(values[each['name']])}"
                for each in needed
                if each["in"] == "query"
            )
            large = [
                e["name"] for e in methods["get"].get("parameters", ()) if e["name"] == "limit"
            ]
            most = "limit=200" if large else ""
            found.append(f"{path.format(**values)}?{'&'.join(filter(None, (query, most)))}")
    return found


async def cost(serving: Serving, client: Client, path: str) -> float:
    """Seconds of the server's CPU that an answer takes."""
    begun = _cpu(serving.pid)
    async with client.session.get(path) as answer:
        await answer.read()
    return _cpu(serving.pid) - begun


async def cost_now(serving: Serving, client: Client, path: str, before: float) -> float:
    """The least of a few, unless it is what it was: other things are done there too."""
    taken = [await cost(serving, client, path)]
    while min(taken) > before + NOISE and len(taken) < 4:
        taken.append(await cost(serving, client, path))
    return min(taken)


def _cpu(pid: int) -> float:
    """Of the server's own threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def test_no_list_costs_more_than_before(costs: dict[str, tuple[float, float]]) -> None:
    assert len(costs) > 20
    dearer = {path: both for path, both in costs.items() if both[1] > both[0] + NOISE}
    assert dearer == {}


async def test_no_answer_is_larger_than_a_few_megabytes(
    serving: Serving, costs: dict[str, tuple[float, float]]
) -> None:
    async with both(serving) as (greedy, _):
        sessions = (await greedy.client.get("/api/sessions"))["sessions"]
        for session in sessions:
            for path in await routes(greedy, session["id"]):
                async with greedy.client.session.get(path) as answer:
                    assert len(await answer.read()) < MOST, path


async def test_pages_of_asks_hold_all_of_them_and_each_is_whole_by_itself(
    serving: Serving, costs: dict[str, tuple[float, float]]
) -> None:
    async with both(serving) as (greedy, host):
        assert (await host.client.get("/api/asks"))["asks"] == []
        seen: list[dict[str, Any]] = []
        after, pages = 0, 0
        while pages == 0 or after:
            page = await greedy.client.get("/api/asks", params={"after": after})
            seen, after, pages = [*seen, *page["asks"]], page["next"], pages + 1
        assert [each["id"] for each in seen] == [f"ask-{n}" for n in range(ASKS)]
        assert pages > 1
        assert all(each["cut"] and each["input"]["path"] == "f" for each in seen)
        whole = await greedy.client.get("/api/asks/ask-7")
        assert len(whole["input"]["content"]) == len(whole["detail"]["diff"]) == SIZE
        assert len(json.dumps(seen[0])) < 5_000


async def test_prompts_that_wait_are_listed_short_and_are_whole_by_themselves(
    serving: Serving, costs: dict[str, tuple[float, float]]
) -> None:
    async with both(serving) as (greedy, host):
        for session in (await greedy.client.get("/api/sessions"))["sessions"]:
            path = f"/api/sessions/{session['id']}/prompts"
            waiting = (await greedy.client.get(path))["prompts"]
            long = [each for each in waiting if each["cut"]]
            assert long
            one = f"{path}/{long[-1]['message_id']}"
            assert len((await greedy.client.get(one))["text"]) > SIZE
            assert (await host.client.call("GET", one))[0] == 404
