"""What a session does for whoever drives it: the same tests over HTTP with SSE and over the socket."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hunt import SEED
from tests.server.driving import Driver
from tests.server.hub.wire import fresh
from tests.server.serving import Serving

Script = Callable[..., str]
WORDS = "One two three four five."


@pytest.fixture
def counting(scripted: Script) -> str:
    return scripted([{"do": "say", "text": WORDS}], name="counting", after="repeat")


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def gated(scripted: Script, gate: Path) -> str:
    """A model that says half, waits for the gate, and says the rest."""
    said = [
        {"do": "say", "text": "The first half, "},
        {"do": "gate", "path": str(gate)},
        {"do": "say", "text": "and the second half."},
    ]
    return scripted(said, name="gated", after="repeat")


@pytest.mark.requirement("S01", "S02", "C10")
async def test_a_prompt_is_answered_in_events_of_its_own_name_and_one_end(
    driver: Driver, counting: str
) -> None:
    session = await driver.begin(model=counting)
    message = fresh()
    async with driver.follow(session) as following:
        admitted = await driver.say(session, "Count!", message)
        assert (admitted["message_id"], admitted["repeated"]) == (message, False)
        assert (await following.end(message))["final_response"] == WORDS
    bodies = following.bodies()
    assert [index for index, _ in following.events] == list(range(1, len(bodies) + 1))
    assert {body["message_id"] for body in bodies} == {message}
    assert [body["type"] for body in bodies].count("exchange_response") == 1
    said = [body["data"]["text"] for body in bodies if body["type"] == "text_delta"]
    assert "".join(said) == WORDS


async def test_a_prompt_that_is_sent_twice_runs_once(driver: Driver, counting: str) -> None:
    session, message = await driver.begin(model=counting), fresh()
    first = await driver.say(session, "Count!", message)
    second = await driver.say(session, "Count!", message.upper())
    assert (first["repeated"], second["repeated"]) == (False, True)
    assert first["index"] == second["index"]
    assert (await driver.say(session, "Another", message))["code"] == "conflict"
    async with driver.follow(session) as following:
        await following.end(message)
        await following.end((await driver.say(session, "Again"))["message_id"])
    assert [body["type"] for body in following.bodies()].count("user_message") == 2


@pytest.mark.requirement("C10")
async def test_what_runs_can_be_cancelled_and_ends_at_once(driver: Driver, gated: str) -> None:
    session, message = await driver.begin(model=gated), fresh()
    async with driver.follow(session) as following:
        await driver.say(session, "Go!", message)
        await following.until("text_delta", message)
        assert await driver.cancel(session, message)
        end = await following.end(message)
        assert (end["success"], end["completion_reason"]) == (False, "user_stopped")
        assert not await driver.cancel(session, message)


@pytest.mark.requirement("S15", "C12")
async def test_prompts_wait_for_each_other_in_order_and_one_that_waits_can_be_taken_back(
    driver: Driver, gated: str, gate: Path
) -> None:
    session = await driver.begin(model=gated)
    messages = [(await driver.say(session, text))["message_id"] for text in ("a", "b", "c", "d")]
    async with driver.follow(session) as following:
        await following.until("text_delta", messages[0])
        assert await driver.cancel(session, messages[2])
        gate.touch()
        for message in (messages[0], messages[1], messages[3]):
            await following.end(message)
    order = [
        body["message_id"] for body in following.bodies() if body["type"] == "exchange_response"
    ]
    assert order == [messages[0], messages[1], messages[3]]
    assert (await _kinds(driver, session, messages[2])) == ["prompt_queued", "prompt_cancelled"]


async def _kinds(driver: Driver, session: str, message: str) -> list[str]:
    async with driver.follow(session) as following:
        await following.collect(1)
        await following.until("exchange_response")
    return [b["type"] for b in following.bodies() if b.get("message_id") == message]


async def test_a_steer_is_said_into_what_runs(
    driver: Driver, scripted: Script, gate: Path, shared: Serving
) -> None:
    (shared.folder / "notes.txt").write_text("hello\n")
    model = scripted(
        [
            {"do": "say", "text": "Looking. "},
            {"do": "gate", "path": str(gate)},
            {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}},
        ],
        [{"do": "say", "text": "Done."}],
        name="steered",
    )
    session, message = await driver.begin(model=model), fresh()
    async with driver.follow(session) as following:
        await driver.say(session, "Look!", message)
        await following.until("text_delta", message)
        await driver.say(session, "and be quick", steer=True)
        gate.touch()
        assert (await following.end(message))["final_response"]
    said = [body for body in following.bodies() if body["type"] == "user_message"]
    assert [body["message_id"] for body in said] == [message, message]
    assert [body["type"] for body in following.bodies()].count("exchange_response") == 1


async def test_an_ask_is_answered_once_and_the_exchange_goes_on(
    driver: Driver, scripted: Script
) -> None:
    question = {"question": "Red or blue?", "choices": ["red", "blue"]}
    model = scripted(
        [{"do": "call", "name": "ask_user", "input": question}],
        [{"do": "say", "text": "Red it is."}],
        name="asking",
    )
    session, message = await driver.begin(model=model), fresh()
    async with driver.follow(session) as following:
        await driver.say(session, "Paint it!", message)
        asked = (await following.until("approval_required", message))["data"]
        wrong = await driver.answer(session, {**asked, "hash": "another"}, "answer", note="red")
        assert wrong["code"] == "conflict"
        answers = [await driver.answer(session, asked, "answer", note="red") for _ in range(3)]
        assert [each.get("code", "") for each in answers] == ["", "conflict", "conflict"]
        assert (await following.end(message))["final_response"] == "Red it is."


@pytest.mark.requirement("S03", "S17", "S20", "C11", "C14")
async def test_who_reconnects_at_any_cursor_has_exactly_the_log(
    driver: Driver, scripted: Script, shared: Serving, host_token: str
) -> None:
    turn = [{"do": "say", "text": "word " * 60, "pieces": 60, "pace_ms": 2}]
    session = await driver.begin(model=scripted(turn, name="paced"))
    message = (await driver.say(session, "Go!"))["message_id"]
    choose = random.Random(SEED)
    got: list[tuple[int, bytes]] = []
    while not (got and got[-1][1].startswith(b'{"type":"exchange_response"')):
        async with driver.follow(session, got[-1][0] if got else 0) as following:
            for _ in range(choose.randint(1, 3)):
                if not following.is_over:
                    await following.more()
        got += following.events
    async with driver.follow(session) as whole:
        await whole.end(message)
    assert got == whole.events
    async with (
        shared.client(host_token) as client,
        client.session.get(f"/api/sessions/{session}/events") as response,
    ):
        page = await response.read()
    listed = b",".join(b"[%d,%b]" % event for event in got)
    assert page.startswith(b'{"events":[' + listed + b"]")
