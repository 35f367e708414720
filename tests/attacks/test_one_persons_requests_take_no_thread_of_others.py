"""Severity: high (M8). Somebody who is signed in keeps every thread, every reader and the event loop busy."""

import asyncio
import json
import random
import string
import time
from collections.abc import Iterator

import pytest

from tests.attacks.slow_texts import interleaved
from tests.attacks.two_people import Person, both, crowded
from tests.server.serving import Serving

SOON = 1.0
LETTERS = "+".join("abcdefghijklmnop")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with crowded(tmp_path_factory.mktemp("threads")) as server:
        yield server


async def timed(person: Person, path: str) -> float:
    begun = time.monotonic()
    status, answer = await person.client.call("GET", path)
    assert status == 200, answer
    return time.monotonic() - begun


async def test_searches_of_one_run_one_by_one_and_hold_up_nobody(serving: Serving) -> None:
    dice = random.Random(1)
    async with both(serving) as (greedy, host):
        words = ["".join(dice.choices(string.ascii_lowercase, k=5)) for _ in range(10_000)]
        session = await greedy.begin()
        for _ in range(12):
            dice.shuffle(words)
            await greedy.say(session, " ".join(words))
        search = f"/api/search?limit=200&q={LETTERS}"
        await greedy.client.call("GET", search)  # what was said is found from now on
        many = [asyncio.create_task(greedy.client.call("GET", search)) for _ in range(20)]
        await asyncio.sleep(0)
        waits = [await timed(host, path) for path in ("/api/sessions", "/api/search?q=hi")]
        answers = await asyncio.gather(*many)
        await greedy.delete(session)
    assert max(waits) < SOON
    assert {status for status, _ in answers} == {200}, "they wait for each other at the door"


async def test_differences_of_one_are_small_work_and_hold_up_nobody(serving: Serving) -> None:
    before, after = (side.decode() for side in interleaved(2_990))
    async with both(serving) as (greedy, host):
        files = f"/api/projects/{greedy.project}"
        kept = {"content": before, "version": ""}
        status, told = await greedy.client.call("PUT", f"{files}/file?path=d.txt", kept)
        assert status in (200, 201), told
        wanted = {"path": "d.txt", "content": after}
        begun = time.monotonic()
        many = [
            asyncio.create_task(greedy.client.call("POST", f"{files}/diff", wanted))
            for _ in range(6)
        ]
        await asyncio.sleep(0)
        wait = await timed(host, f"/api/projects/{host.project}/files")
        assert {status for status, _ in await asyncio.gather(*many)} == {200}
        took = time.monotonic() - begun
    assert wait < SOON
    assert took < 6


CROWDED = {
    "fields": {f"a{n}": 1 for n in range(70_000)},
    "numbers": {"message_id": "x", "schema": {"a": [10] * 200_000}},
    "objects": [{"a": 1}] * 50_000,
}


@pytest.mark.parametrize("name", CROWDED)
async def test_a_body_of_very_many_values_is_refused_unread(serving: Serving, name: str) -> None:
    async with both(serving) as (greedy, _):
        prompts = f"/api/sessions/{await greedy.begin()}/prompts"
        status, told = await greedy.client.call("POST", prompts, CROWDED[name])
        assert status == 413, told
        assert "more than 20000 fields and elements" in told["detail"]
        status, told = await greedy.client.call("POST", "/api/sessions", CROWDED[name])
        assert status == 413, told
        assert "longer than 64 KB" in told["detail"]
        few = {"schema": {"a": [1] * 2_000}}
        status, told = await greedy.client.call("POST", "/api/sessions", few)
        assert status == 413, told
        assert "more than 1000 fields and elements" in told["detail"]


@pytest.mark.parametrize("text", ['"\\' * 100, '{"a":"' + '\\"' * 400_000, ",\\" * 300_000])
async def test_no_body_makes_counting_its_values_slow(serving: Serving, text: str) -> None:
    async with both(serving) as (greedy, _):
        begun = time.monotonic()
        send = greedy.client.session.post("/api/sessions", data=text.encode())
        async with send as answer:
            assert answer.status in (413, 422)
    assert time.monotonic() - begun < SOON


async def test_a_long_text_with_commas_is_no_crowd(serving: Serving) -> None:
    async with both(serving) as (greedy, _):
        session = await greedy.begin()
        status, told = await greedy.say(session, "a, b: c, " * 80_000)
        assert status == 202, told
        await greedy.delete(session)


async def test_a_stranger_sends_little_to_sign_in(serving: Serving) -> None:
    async with serving.client("") as stranger:
        body = json.dumps({f"a{n}": 1 for n in range(2_000)}).encode()
        async with stranger.session.post("/api/sign-in", data=body) as answer:
            assert answer.status == 413
