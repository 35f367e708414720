"""Severity: high. A guest answers asks with patterns of their own making, and then runs a command that takes long to
compare with them: nobody else waits."""

import asyncio
import json
import time
from collections.abc import Iterator
from itertools import count

import pytest

from bottega.fairness import acting_for
from bottega.workspaces.git.undoing.threads import in_thread
from tests.attacks.two_people import Person, both, crowded
from tests.server.serving import Serving

SOON = 1.0
LONG = " && ".join(f"echo {'a' * 950}{n}" for n in range(40))
HOSTILE = (f"bash_exec(echo *{'a' * 180}b)", "bash_exec(echo *)", "bash_exec(**)", "write_file")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with crowded(tmp_path_factory.mktemp("grants")) as server:
        yield server


async def asked(person: Person, command: str) -> tuple[str, dict[str, str]]:
    """A session in ask mode in which that command waits for an answer, and what is asked."""
    body = {"project_id": person.project, "model": "openai-chat/m", "mode": "ask"}
    session = (await person.client.post("/api/sessions", body))["id"]
    status, told = await person.say(
        session, f"CALL bash_exec {json.dumps({'command': command, 'description': 'x'})}"
    )
    assert status == 202, told
    return session, (await person.until(session, "approval_required"))["data"]


@pytest.mark.parametrize("grant", HOSTILE)
async def test_only_what_is_offered_can_be_granted(serving: Serving, grant: str) -> None:
    async with both(serving) as (greedy, _):
        session, ask = await asked(greedy, "echo one")
        path = f"/api/asks/{ask['approval_id']}"
        reply = {"word": "allow_all", "hash": ask["hash"], "grant": grant}
        status, told = await greedy.client.call("POST", path, reply)
        assert status == 422, told
        assert "is not offered" in told["detail"]
        assert "bash_exec(echo one)" in told["hint"]
        offered = {**reply, "grant": "bash_exec(echo one)"}
        status, told = await greedy.client.call("POST", path, offered)
        assert status == 200, told
        await greedy.delete(session)


async def test_a_command_that_takes_long_to_judge_holds_up_nobody(serving: Serving) -> None:
    async with both(serving) as (greedy, host):
        waiting = [asyncio.create_task(asked(greedy, LONG)) for _ in range(4)]
        waits: list[float] = []
        while not all(each.done() for each in waiting):
            begun = time.monotonic()
            await host.client.get("/api/me")
            waits.append(time.monotonic() - begun)
        await greedy.delete(*(each.result()[0] for each in waiting))
    assert max(waits) < SOON


async def test_a_command_that_is_edited_to_be_long_holds_up_nobody(serving: Serving) -> None:
    async with both(serving) as (greedy, host):
        waiting = [await asked(greedy, "touch x") for _ in range(4)]
        long = {"command": "cd a && " + "a;" * 49_000, "description": "x"}

        async def edit(ask: dict[str, str]) -> None:
            reply = {"word": "edit", "hash": ask["hash"], "input": long}
            path = f"/api/asks/{ask['approval_id']}"
            status, told = await greedy.client.call("POST", path, reply)
            assert status == 200, told

        edits = [asyncio.create_task(edit(ask)) for _, ask in waiting]
        edits += [asyncio.create_task(greedy.until(each, "tool_intent")) for each, _ in waiting]
        waits: list[float] = []
        while not all(each.done() for each in edits):
            begun = time.monotonic()
            await host.client.get("/api/me")
            waits.append(time.monotonic() - begun)
        await asyncio.gather(*edits)
        await greedy.delete(*(each for each, _ in waiting))
    assert max(waits) < SOON


async def test_few_looks_for_plants_of_one_person_run_at_once_and_another_is_served() -> None:
    running, most, numbers = 0, 0, count()

    def look() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)
        running -= 1

    async def looks(person: int, times: int) -> float:
        with acting_for(person):
            begun = time.monotonic()
            await asyncio.gather(*(in_thread(f"/{next(numbers)}", look) for _ in range(times)))
            return time.monotonic() - begun

    many = asyncio.create_task(looks(1, 40))
    await asyncio.sleep(0)
    assert await looks(2, 1) < SOON / 2
    await many
    assert most <= 3
