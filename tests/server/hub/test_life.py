"""What tabs survive: a server or a worker that dies, a session that is deleted; and what they free when they go."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.hub.test_tabs import opened, said
from tests.server.hub.wire import Gone, wire_to
from tests.server.serving import Serving

Script = Callable[..., str]
Tokens = dict[str, str]
BOTH = "The first half, and the second half."


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def gated(scripted: Script, gate: Path) -> str:
    said = [
        {"do": "say", "text": "The first half, "},
        {"do": "gate", "path": str(gate)},
        {"do": "say", "text": "and the second half."},
    ]
    return scripted(said, name="gated", after="repeat")


@pytest.mark.requirement("S18", "S19", "S20")
async def test_after_a_kill_and_a_restart_every_tab_goes_on_where_it_was(
    serving: Serving, gated: str, gate: Path
) -> None:
    token = serving.token()
    async with wire_to(serving, token) as before:
        tabs = [await opened(before, gated) for _ in range(3)]
        messages = [await said(before, tab) for tab, _ in tabs]
        for tab, _ in tabs:
            await before.event(tab, "text_delta")
        serving.kill()
        with pytest.raises(Gone):
            await before.a("never")
    gate.touch()
    serving.start()
    async with wire_to(serving, token) as after:
        cursors = [{"tab_id": tab, "last_seen": before.indexes(tab)[-1]} for tab, _ in tabs]
        back = await after.ask(type="restore", tabs=cursors)
        assert {t["tab_id"]: t["session_id"] for t in back["tabs"]} == dict(tabs)
        for (tab, _), message in zip(tabs, messages, strict=True):
            end = await after.ends(tab, message)
            assert end["final_response"] == BOTH
            whole = before.indexes(tab) + after.indexes(tab)
            assert whole == list(range(1, len(whole) + 1))
            kinds = [body["type"] for _, body in after.seen[tab]]
            assert "interrupted" in kinds  # the tab can tell that the process died
            assert kinds.count("exchange_response") == 1


@pytest.mark.requirement("S18")
async def test_a_tab_is_told_within_two_seconds_that_its_worker_is_gone(
    home: Path, folder: Path, gated: str, gate: Path
) -> None:
    with Serving(home, folder, "--workers", "1") as serving:
        token = serving.token()
        async with wire_to(serving, token) as wire, serving.client(token) as client:
            tab, session = await opened(wire, gated)
            hidden, _ = await opened(wire, session_id=session)
            await wire.ask(type="hidden", tab_id=hidden)
            message = await said(wire, tab)
            await wire.event(tab, "text_delta")
            (worker,) = (await client.get("/api/workers"))["workers"]
            os.kill(worker["pid"], signal.SIGKILL)
            async with asyncio.timeout(2):
                gone = await wire.a("worker-exited")
            assert (gone["tab_id"], gone["session_id"]) == (tab, session)
            gate.touch()
            assert (await wire.ends(tab, message))["final_response"] == BOTH
            told = [f["tab_id"] for f in wire.frames if f["type"] == "worker-exited"]
            assert told == [tab]  # and nothing to the hidden one


async def test_clients_are_told_that_the_server_ends(serving: Serving) -> None:
    async with wire_to(serving, serving.token()) as wire:
        await wire.ask(type="ping")
        stopping = asyncio.create_task(asyncio.to_thread(serving.stop))
        assert await wire.a("stopping") == {"type": "stopping"}
        with pytest.raises(Gone) as gone:
            await wire.a("never")
        assert gone.value.code == 1012
        code, said = await stopping
    assert code == 0
    # A machine that has much to do may have made its loop wait; nothing else is worth a word.
    assert [line for line in said.splitlines() if "loop stalled" not in line] == []


@pytest.mark.requirement("S14")
async def test_a_deleted_session_ends_in_every_tab_and_its_tabs_are_gone(
    shared: Serving, tokens: Tokens, scripted: Script
) -> None:
    model = scripted([{"do": "say", "text": "Hello."}])
    token = tokens["host"]
    async with wire_to(shared, token) as wire, shared.client(token) as client:
        tab, session = await opened(wire, model)
        await wire.ends(tab, await said(wire, tab))
        status, _ = await client.call("DELETE", f"/api/sessions/{session}")
        assert status == 204
        ended = await wire.a("session-ended")
        assert (ended["tab_id"], ended["session_id"]) == (tab, session)
        there = await wire.ask(type="restore", tabs=[{"tab_id": tab, "last_seen": 0}])
        assert (there["tabs"], there["gone"]) == ([], [tab])
        assert (await wire.ask(type="visible", tab_id=tab))["code"] == "not_found"


@pytest.mark.requirement("S11")
async def test_the_last_tab_that_closes_frees_the_shells_and_what_runs_goes_on_to_its_end(
    shared: Serving, tokens: Tokens, scripted: Script, gate: Path
) -> None:
    model = scripted(
        [{"do": "call", "name": "shell_open", "input": {}}],
        [{"do": "say", "text": "Open. "}, {"do": "gate", "path": str(gate)}, _say("Over.")],
        name="shells",
        after="repeat",
    )
    token = tokens["host"]
    async with wire_to(shared, token) as wire:
        tab, session = await opened(wire, model, mode="allow")
        message = await said(wire, tab)
        await wire.event(tab, "text_delta")
        await _until(lambda: len(_shells(shared)) == 1)
        assert (await wire.ask(type="close-tab", tab_id=tab))["last"] is True
        again, _ = await opened(wire, session_id=session)
        await wire.event(again, "text_delta", message)
        assert len(_shells(shared)) == 1  # it runs, so nothing is taken from it
        assert (await wire.ask(type="close-tab", tab_id=again))["last"] is True
        gate.touch()
        await _until(lambda: not _shells(shared))
        third, _ = await opened(wire, session_id=session)
        assert (await wire.ends(third, message))["final_response"] == "Open. Over."


async def test_a_tab_that_is_opened_again_before_the_end_keeps_the_shells(
    shared: Serving, tokens: Tokens, scripted: Script, gate: Path
) -> None:
    model = scripted(
        [{"do": "call", "name": "shell_open", "input": {}}],
        [{"do": "say", "text": "Open. "}, {"do": "gate", "path": str(gate)}, _say("Over.")],
        name="shells",
        after="repeat",
    )
    async with wire_to(shared, tokens["host"]) as wire:
        tab, session = await opened(wire, model, mode="allow")
        message = await said(wire, tab)
        await wire.event(tab, "text_delta")
        await wire.ask(type="close-tab", tab_id=tab)
        again, _ = await opened(wire, session_id=session)
        gate.touch()
        await wire.ends(again, message)
        await wire.ask(type="ping")
        assert len(_shells(shared)) == 1
        await wire.ask(type="close-tab", tab_id=again)
        await _until(lambda: not _shells(shared))


async def test_a_client_that_goes_away_closes_nothing(
    shared: Serving, tokens: Tokens, gated: str, gate: Path
) -> None:
    token = tokens["host"]
    async with wire_to(shared, token) as wire:
        tab, session = await opened(wire, gated)
        message = await said(wire, tab)
        await wire.event(tab, "text_delta")
    gate.touch()
    async with wire_to(shared, token) as again:
        assert session in [t["session_id"] for t in (await again.ask(type="restore"))["tabs"]]
        await again.ask(type="visible", tab_id=tab, last_seen=0)
        assert (await again.ends(tab, message))["final_response"] == BOTH


def _say(text: str) -> dict[str, str]:
    return {"do": "say", "text": text}


def _shells(serving: Serving) -> list[int]:
    """The shells below the server."""
    return [pid for pid in _beneath(serving.pid) if _command(pid).startswith(b"bash\0--norc")]


def _beneath(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *_beneath(child)]
    return found


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.02)
