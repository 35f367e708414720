"""Severity: medium (M9, its kind). One person fills the home with words alone: prompts, waiting or not, edits of them,
answers, tools that a client declares, and what models write. All of it counts to `person_storage_mb`.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.studio import Studio
from tests.attacks.two_people import Person, both, crowded

MEGABYTES = 6
LONG = "y" * 900_000
HINT = "Delete sessions that you no longer need"


@pytest.fixture
async def people(tmp_path: Path) -> AsyncGenerator[tuple[Person, Person]]:
    with crowded(tmp_path, person_storage_mb=str(MEGABYTES)) as serving:
        async with both(serving) as found:
            yield found


def _tools() -> dict[str, Any]:
    schema = {"type": "object", "description": "x" * 20_000}
    tool = {"description": "d" * 900, "schema": schema}
    return {"tools": [{"name": f"t{n}", **tool} for n in range(40)]}


async def _until_refused(person: Person, method: str, path: str, body: dict[str, Any]) -> int:
    """How often it is accepted."""
    for count in range(12):
        body = {**body, "message_id": str(uuid.uuid4())} if path.endswith("prompts") else body
        status, answer = await person.client.call(method, path, body)
        if status >= 300:
            assert (status, answer["code"]) == (507, "too_much_kept")
            assert HINT in answer["hint"]
            return count
    raise AssertionError("It is never refused.")


async def test_words_are_refused_where_as_much_is_kept_as_one_may_have(
    people: tuple[Person, Person],
) -> None:
    greedy, host = people
    session, other = await greedy.begin(), await greedy.begin()
    _, answer = await greedy.say(session, "STREAM 4000 20")
    await greedy.until(session, "text_delta", after=answer["index"])
    _, waiting = await greedy.say(session, "later")
    prompts = f"/api/sessions/{session}/prompts"
    assert await _until_refused(greedy, "POST", prompts, {"content": LONG}) <= MEGABYTES // 2
    edited = f"{prompts}/{waiting['message_id']}"
    assert await _until_refused(greedy, "PATCH", edited, {"content": LONG}) == 0
    tools = f"/api/sessions/{other}/tools"
    assert await _until_refused(greedy, "PUT", tools, _tools()) == 0
    # Others are not concerned, and the owner is not held at all.
    assert await host.ran("hi") == "hello"
    assert await _declared(host) == 12
    # And what runs can be stopped and tidied up.
    status, _ = await greedy.client.call("PATCH", f"/api/sessions/{session}", {"mode": "plan"})
    assert status == 200
    await greedy.delete(session)
    async with asyncio.timeout(10):
        while (await greedy.say(other, "again"))[0] != 202:
            await asyncio.sleep(0.1)
    # Tools alone are counted as well.
    assert 0 < await _declared(greedy) <= MEGABYTES


async def _declared(person: Person) -> int:
    """In how many of twelve sessions many tools may be declared."""
    accepted = 0
    for _ in range(12):
        tools = f"/api/sessions/{await person.begin()}/tools"
        accepted += (await person.client.call("PUT", tools, _tools()))[0] == 200
    return accepted


async def test_no_model_writes_more_where_as_much_is_kept(home: Path, folder: Path) -> None:
    async with Studio(home, flags={"person_storage_mb": 1}) as studio:
        person = await People(studio.runtime.database).add("guest")
        await Projects(studio.runtime.database).add(folder, person.n)
        session = await studio.start(model="guide", folder=folder, owner=person.n)
        end = await session.prompt(LONG)
        (error,) = [e.data for e in await session.facts() if e.type == "error_message"]
    assert (end.success, end.iterations, error.code) == (False, 0, "too_much_kept")
