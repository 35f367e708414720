"""Severity: medium (M3, spending past the owner's limit). A guest has the owner pay for model calls that no limit sees:
compactions, calls that are cancelled or die with the server, models without a known price, dear calls begun at once.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from tests.attacks.obedient import obedient
from tests.attacks.two_people import Person, add, person_of
from tests.server.serving import Serving

KNOWN = "openai-chat/gpt-4o"
UNKNOWN = "openai-chat/some-new-model"
FREE = "openai-chat/free-of-charge"
DEAR = "openai/gpt-4o-mini"
"""Cheap in the list of prices, dear by the owner's own word."""
WORDY = "openai-chat/by-the-word"
"""Only what it says costs something: what nobody bounds is taken for 16,000 micro-USD."""
LONG = "word " * 20_000
LIMIT = 40_000
"""Micro-USD of the owner's limit: less than a request with `LONG` costs."""


class Bed:
    def __init__(self, place: Path, model: str, serving: Serving) -> None:
        self._place = place
        self._model = model
        self.serving = serving

    @asynccontextmanager
    async def guest(self, name: str) -> AsyncGenerator[Person]:
        """Somebody new, who has used nothing yet."""
        folder = self._place / name
        folder.mkdir(exist_ok=True)
        token = await asyncio.to_thread(add, self.serving, name, folder)
        async with self.serving.client(token) as client:
            yield await person_of(client)

    async def calls(self) -> int:
        """How many requests the model has had."""
        async with aiohttp.ClientSession() as session, session.get(self._model) as answer:
            return len(msgspec.json.decode(await answer.read()))


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Bed]:
    place = tmp_path_factory.mktemp("bed")
    for name in ("home", "host"):
        (place / name).mkdir(mode=0o700)
    (place / "home" / "config.toml").write_text(
        f'[models."{FREE}"]\ninput_usd = 0\noutput_usd = 0\n'
        f'[models."{WORDY}"]\ninput_usd = 0\noutput_usd = 4\n'
        f'[models."{DEAR}"]\ninput_usd = 1000\noutput_usd = 1000\n'
    )
    with obedient() as url:
        environment = {
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "owners",
            "BOTTEGA_WINDOW_USD": str(LIMIT / 1_000_000),
        }
        with Serving(place / "home", place / "host", environment=environment) as serving:
            yield Bed(place, url, serving)


async def _said(person: Person, session: str, content: str) -> dict[str, Any]:
    """How an exchange with that prompt ended."""
    status, answer = await person.say(session, content)
    assert status == 202, answer
    end = await person.until(session, "exchange_response", after=answer["index"])
    return end["data"]


async def _cost(person: Person) -> int:
    return (await person.client.get("/api/usage"))["window"]["cost"]


async def test_a_compaction_does_not_pass_the_owners_limit(bed: Bed) -> None:
    async with bed.guest("compacting") as guest:
        session = await guest.begin(FREE)
        for _ in range(6):
            assert (await _said(guest, session, "STREAM 2000 0"))["success"]
        await guest.client.call("PATCH", f"/api/sessions/{session}", {"model": KNOWN})
        assert (await _said(guest, session, LONG))["success"]
        asked, cost = await bed.calls(), await _cost(guest)
        status, problem = await guest.client.call("POST", f"/api/sessions/{session}/compact")
        assert (status, problem["code"]) == (403, "cost_limit")
        assert "owner" in problem["hint"]
        assert (await bed.calls(), await _cost(guest)) == (asked, cost)


async def test_a_call_that_is_cancelled_is_counted(bed: Bed) -> None:
    async with bed.guest("cancelling") as guest:
        session = await guest.begin(KNOWN)
        _, answer = await guest.say(session, f"STREAM 4000 20\n{LONG}")
        await guest.until(session, "text_delta", after=answer["index"])
        path = f"/api/sessions/{session}/prompts/{answer['message_id']}"
        await guest.client.call("DELETE", path)
        await guest.until(session, "exchange_response", after=answer["index"])
        (used,) = (await guest.client.get("/api/usage"))["days"]
        assert (used["calls"], used["model"]) == (1, KNOWN)
        assert 18_000 < used["tokens"] < 60_000
        assert used["cost"] >= LIMIT
        assert not (await _said(guest, session, "hi"))["success"]


async def test_a_model_without_a_known_price_is_not_free(bed: Bed) -> None:
    async with bed.guest("unpriced") as guest, bed.serving.client() as client:
        session = await guest.begin(UNKNOWN)
        assert (await _said(guest, session, "hi"))["success"]
        assert not (await _said(guest, session, "hi"))["success"]
        assert await _cost(guest) >= LIMIT
        error = await guest.until(session, "error_message", after=0)
        assert f'[models."{UNKNOWN}"]' in error["data"]["hint"]
        host = await person_of(client)
        session = await host.begin(UNKNOWN)
        assert (await _said(host, session, "hi"))["cost"] is None


async def test_the_owner_says_what_a_model_costs(bed: Bed) -> None:
    async with bed.guest("priced") as guest:
        session = await guest.begin(FREE)
        for _ in range(2):
            assert (await _said(guest, session, LONG))["success"]
        assert await _cost(guest) == 0


@pytest.mark.parametrize("name", ["openai-chat/gpt-4o-mini", "openai-chat/GPT-4o-mini"])
async def test_another_spelling_does_not_dodge_the_owners_price(bed: Bed, name: str) -> None:
    async with bed.guest(f"spelling-{name[12:15].lower()}{name[12:15].isupper()}") as guest:
        session = await guest.begin(name)
        assert (await _said(guest, session, "hi"))["success"]
        assert await _cost(guest) >= LIMIT


async def test_dear_calls_that_begin_at_once_do_not_pass_it(bed: Bed) -> None:
    async with bed.guest("hasty") as guest:
        sessions = [await guest.begin(KNOWN) for _ in range(8)]
        before = await bed.calls()
        ends = await asyncio.gather(
            *(_said(guest, each, f"STREAM 10 20\n{LONG}") for each in sessions)
        )
        assert sum(end["success"] for end in ends) == 1
        assert await bed.calls() == before + 1


async def test_long_answers_at_once_end_where_the_limit_is(bed: Bed) -> None:
    async with bed.guest("wordy") as guest:
        sessions = [await guest.begin(WORDY) for _ in range(3)]
        ends = await asyncio.gather(*(_said(guest, each, "STREAM 10000 0") for each in sessions))
        assert not any(end["success"] for end in ends)
        for each in sessions:
            error = await guest.until(each, "error_message")
            assert error["data"]["code"] == "cost_limit"
        assert LIMIT <= await _cost(guest) < 1.25 * LIMIT


@pytest.mark.parametrize(
    "stated",
    [
        *("1e30", "1e308", "1e9", "999999", "1000.01", "90"),
        *("-1", "1" + "0" * 400, '{"total_cost": 1e40}'),
    ],
)
async def test_a_cost_that_cannot_be_true_locks_nobody_out(bed: Bed, stated: str) -> None:
    async with bed.guest(f"cheated-{abs(hash(stated))}") as guest:
        session = await guest.begin(KNOWN)
        usage = f'USAGE {{"prompt_tokens": 50, "completion_tokens": 5, "cost": {stated}}}'
        for _ in range(2):
            assert (await _said(guest, session, usage))["success"]
        assert 0 < await _cost(guest) < LIMIT


@pytest.mark.parametrize("tokens", ["1" + "0" * 9, "1" + "0" * 15, "1e15"])
async def test_neither_do_tokens_that_cannot_be_true(bed: Bed, tokens: str) -> None:
    async with bed.guest(f"counted-{len(tokens)}") as guest:
        session = await guest.begin(KNOWN)
        for name in ("prompt_tokens", "completion_tokens"):
            usage = f'USAGE {{"prompt_tokens": 1, "completion_tokens": 1, "{name}": {tokens}}}'
            assert (await _said(guest, session, usage))["success"]
        (used,) = (await guest.client.get("/api/usage"))["days"]
        assert used["tokens"] < 100_000
        assert 0 < await _cost(guest) < LIMIT


async def test_a_call_that_dies_with_the_server_is_counted(bed: Bed) -> None:
    async with bed.guest("killing") as guest:
        session = await guest.begin(KNOWN)
        _, answer = await guest.say(session, f"STREAM 4000 20\n{LONG}")
        await guest.until(session, "text_delta", after=answer["index"])
    await asyncio.to_thread(bed.serving.kill)
    await asyncio.to_thread(bed.serving.start)
    async with bed.guest("killing") as guest:
        await guest.until(session, "exchange_response", after=answer["index"])
        assert await _cost(guest) >= LIMIT
