"""Tabs over the socket: they open, join, hide, come back and close, and lose nothing."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.hub.wire import Wire, fresh, wire_to
from tests.server.serving import Serving

Script = Callable[..., str]
Tokens = dict[str, str]
WORDS = "One two three four five."


@pytest.fixture
def counting(scripted: Script) -> str:
    return scripted([{"do": "say", "text": WORDS}], name="counting", after="repeat")


@pytest.fixture
def gated(scripted: Script, tmp_path: Path) -> tuple[str, Path]:
    """A model that says half, waits for a file, and says the rest."""
    gate = tmp_path / "gate"
    said = [
        {"do": "say", "text": "The first half, "},
        {"do": "gate", "path": str(gate)},
        {"do": "say", "text": "and the second half."},
    ]
    return scripted(said, name="gated", after="repeat"), gate


BOTH = "The first half, and the second half."


async def opened(wire: Wire, model: str = "", **more: object) -> tuple[str, str]:
    """A new tab, and its session."""
    tab = fresh()
    made = await wire.ask(type="new-tab", tab_id=tab, model=model, **more)
    assert made["type"] == "session-created", made
    return tab, made["session_id"]


async def said(wire: Wire, tab: str, text: str = "Go on!", **more: object) -> str:
    message = fresh()
    taken = await wire.ask(type="prompt", tab_id=tab, message_id=message, text=text, **more)
    assert taken["type"] == "accepted", taken
    return message


@pytest.mark.requirement("S01", "S02", "S04", "S05", "S06", "S07", "S08")
async def test_a_new_tab_opens_a_session_and_what_it_is_asked_there_is_answered_by_name(
    wire: Wire, counting: str
) -> None:
    tab, session = await opened(wire, counting)
    assert session.startswith("ses_")
    message = await said(wire, tab, "Count!")
    end = await wire.ends(tab, message)
    assert end["final_response"] == WORDS == wire.words(tab)
    assert wire.indexes(tab) == list(range(1, len(wire.seen[tab]) + 1))
    assert {body.get("message_id") for _, body in wire.seen[tab]} == {message}
    assert {frame["session_id"] for frame in wire.frames if frame["type"] == "events"} == {session}
    assert all("tab_id" not in body for _, body in wire.seen[tab])  # a tab means nothing to the log


async def test_the_same_new_tab_again_finds_what_it_made(wire: Wire, counting: str) -> None:
    tab, session = await opened(wire, counting)
    again = await wire.ask(type="new-tab", tab_id=tab)
    assert again["session_id"] == session
    other_tab, other = await opened(wire, counting)
    assert other != session
    refused = await wire.ask(type="new-tab", tab_id=tab, session_id=other)
    assert (refused["type"], refused["code"], refused["tab_id"]) == ("error", "conflict", tab)
    assert other_tab != tab


async def test_a_tab_that_two_sockets_open_at_once_has_one_session(
    shared: Serving, tokens: Tokens, wire: Wire, counting: str
) -> None:
    tab = fresh()
    async with wire_to(shared, tokens["host"]) as other:
        made = await asyncio.gather(
            *(w.ask(type="new-tab", tab_id=tab, model=counting) for w in (wire, other))
        )
    assert made[0]["session_id"] == made[1]["session_id"]


@pytest.mark.requirement("S09", "S10")
async def test_two_tabs_on_one_session_are_sent_the_same_bytes(
    shared: Serving, tokens: Tokens, wire: Wire, counting: str
) -> None:
    tab, session = await opened(wire, counting)
    second = fresh()
    joined = await wire.ask(type="new-tab", tab_id=second, session_id=session)
    assert joined["session_id"] == session
    async with wire_to(shared, tokens["host"]) as other:
        third, _ = await opened(other, session_id=session)
        message = await said(wire, tab)
        for w, t in ((wire, tab), (wire, second), (other, third)):
            await w.ends(t, message)
        assert wire.raw[tab] == wire.raw[second] == other.raw[third]


@pytest.mark.requirement("S13", "S16")
async def test_a_tab_is_answered_while_another_is_in_the_middle_of_its_answer(
    wire: Wire, counting: str, gated: tuple[str, Path]
) -> None:
    model, gate = gated
    slow, _ = await opened(wire, model)
    quick, _ = await opened(wire, counting)
    first = await said(wire, slow)
    await wire.event(slow, "text_delta")
    assert (await wire.ends(quick, await said(wire, quick)))["final_response"] == WORDS
    assert not any(body["type"] == "exchange_response" for _, body in wire.seen[slow])
    gate.touch()
    assert (await wire.ends(slow, first))["final_response"] == BOTH


@pytest.mark.requirement("S15")
async def test_the_prompts_of_a_tab_are_answered_one_after_the_other(
    wire: Wire, gated: tuple[str, Path]
) -> None:
    model, gate = gated
    tab, _ = await opened(wire, model)
    messages = [await said(wire, tab, text) for text in ("one", "two", "three")]
    await wire.event(tab, "text_delta", messages[0])
    gate.touch()
    for message in messages:
        await wire.ends(tab, message)
    order = [
        (body["message_id"], body["type"])
        for _, body in wire.seen[tab]
        if body["type"] in ("user_message", "exchange_response")
    ]
    assert order == [
        (message, kind) for message in messages for kind in ("user_message", "exchange_response")
    ]


@pytest.mark.requirement("S12", "S17", "C11")
async def test_a_tab_that_was_hidden_for_the_whole_answer_misses_nothing_of_it(
    wire: Wire, counting: str
) -> None:
    tab, session = await opened(wire, counting)
    watching, _ = await opened(wire, session_id=session)
    assert await wire.ask(type="hidden", tab_id=tab) == {
        **{"type": "hidden", "tab_id": tab},
        "ref": wire.frames[-1]["ref"],
    }
    await wire.ends(watching, await said(wire, tab))
    await wire.ask(type="ping")
    assert tab not in wire.seen  # not one frame while it was hidden
    shown = await wire.ask(type="visible", tab_id=tab, last_seen=0)
    assert shown["last_index"] == wire.indexes(watching)[-1]
    await wire.ends(tab)
    assert wire.raw[tab] == wire.raw[watching]


@pytest.mark.requirement("S03", "S12")
async def test_a_tab_that_is_shown_again_is_sent_only_what_is_past_its_cursor(
    wire: Wire, gated: tuple[str, Path]
) -> None:
    model, gate = gated
    tab, _ = await opened(wire, model)
    await said(wire, tab)
    await wire.event(tab, "text_delta")
    await wire.ask(type="hidden", tab_id=tab)
    seen = wire.indexes(tab)
    gate.touch()
    await wire.ask(type="visible", tab_id=tab, last_seen=seen[-1])
    await wire.ends(tab)
    assert wire.indexes(tab) == list(range(1, wire.indexes(tab)[-1] + 1))
    assert wire.words(tab) == BOTH


@pytest.mark.requirement("S03", "S20", "S21")
async def test_a_refresh_in_the_middle_of_an_answer_loses_and_doubles_nothing(
    shared: Serving, tokens: Tokens, gated: tuple[str, Path]
) -> None:
    model, gate = gated
    async with wire_to(shared, tokens["host"]) as before:
        tab, _ = await opened(before, model)
        await said(before, tab)
        await before.event(tab, "text_delta")
    seen = before.raw[tab]
    gate.touch()  # nobody is there for the rest
    async with wire_to(shared, tokens["host"]) as after:
        back = await after.ask(type="restore", tabs=[{"tab_id": tab, "last_seen": seen[-1][0]}])
        assert [each["tab_id"] for each in back["tabs"]] == [tab]
        await after.ends(tab)
        await after.ask(type="visible", tab_id=tab, last_seen=0)
        rest, after.raw[tab] = after.raw[tab], []
        while len(after.raw[tab]) < len(seen) + len(rest):
            await after.a("events", tab_id=tab)
    assert seen + rest == after.raw[tab]


@pytest.mark.requirement("S19", "S20")
async def test_a_screen_that_is_made_anew_finds_its_tabs_and_sessions(
    shared: Serving, tokens: Tokens, counting: str
) -> None:
    async with wire_to(shared, tokens["host"]) as before:
        tabs = dict([await opened(before, counting) for _ in range(3)])
        closed, _ = await opened(before, counting)
        await before.ask(type="close-tab", tab_id=closed)
    async with wire_to(shared, tokens["host"]) as after:
        there = await after.ask(type="restore", tabs=[])
        found = {each["tab_id"]: each["session_id"] for each in there["tabs"]}
        assert tabs.items() <= found.items()
        assert closed not in found
        named = [{"tab_id": tab, "last_seen": 0} for tab in (*tabs, closed)]
        there = await after.ask(type="restore", tabs=named)
        assert {each["tab_id"] for each in there["tabs"]} == set(tabs)
        assert there["gone"] == [closed]


@pytest.mark.requirement("S11", "S14")
async def test_a_closed_tab_is_forgotten_and_its_session_stays(wire: Wire, counting: str) -> None:
    tab, session = await opened(wire, counting)
    second, _ = await opened(wire, session_id=session)
    await wire.ends(tab, await said(wire, tab))
    closed = await wire.ask(type="close-tab", tab_id=tab)
    assert (closed["type"], closed["session_id"], closed["last"]) == ("tab-closed", session, False)
    assert (await wire.ask(type="close-tab", tab_id=second))["last"] is True
    for kind in ("hidden", "close-tab", "visible"):
        assert (await wire.ask(type=kind, tab_id=tab))["code"] == "not_found"
    again, _ = await opened(wire, session_id=session)
    assert (await wire.ends(again))["final_response"] == WORDS


async def test_a_cursor_beyond_the_end_is_refused(wire: Wire, counting: str) -> None:
    tab, _ = await opened(wire, counting)
    refused = await wire.ask(type="visible", tab_id=tab, last_seen=7)
    assert (refused["type"], refused["code"]) == ("error", "bad_usage")
    assert "ends at 0" in refused["detail"]


@pytest.mark.requirement("S08")
async def test_a_prompt_that_is_sent_twice_runs_once_and_another_under_its_name_is_refused(
    wire: Wire, counting: str
) -> None:
    tab, _ = await opened(wire, counting)
    prompt = {"type": "prompt", "tab_id": tab, "message_id": fresh(), "text": "Count!"}
    first, second = await wire.ask(**prompt), await wire.ask(**prompt)
    assert (first["repeated"], second["repeated"]) == (False, True)
    assert first["index"] == second["index"]
    other = await wire.ask(**{**prompt, "text": "Something else"})
    assert other["code"] == "conflict"
    await wire.ends(tab)
    assert [body["type"] for _, body in wire.seen[tab]].count("user_message") == 1


async def test_a_running_exchange_is_cancelled_and_a_waiting_prompt_is_taken_back(
    wire: Wire, gated: tuple[str, Path]
) -> None:
    tab, _ = await opened(wire, gated[0])
    running, waiting = await said(wire, tab, "one"), await said(wire, tab, "two")
    await wire.event(tab, "text_delta", running)
    for message in (waiting, running):
        stopped = await wire.ask(type="cancel", tab_id=tab, message_id=message)
        assert (stopped["type"], stopped["found"]) == ("cancelled", True)
    assert (await wire.ends(tab, running))["completion_reason"] == "user_stopped"
    await wire.event(tab, "prompt_cancelled", waiting)
    over = await wire.ask(type="cancel", tab_id=tab, message_id=running)
    assert over["found"] is False


async def test_a_client_that_has_asked_for_nothing_hears_the_server_s_heart(wire: Wire) -> None:
    assert (await wire.ask(type="ping"))["type"] == "pong"
    assert await wire.a("heartbeat") == {"type": "heartbeat"}
