"""Cut lines, servers that die, a process here that dies: what is answered elsewhere is carried over once and whole."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import aiohttp
import pytest

from bottega import Studio
from bottega.agents.agent import Whereabouts
from bottega.client import Remote
from bottega.events.event import Event
from bottega.origin import origin_of
from bottega.studio.session import Session
from tests.client.cutting import cutting
from tests.remote.conftest import Hire, agent_there, remote_file
from tests.remote.logs import carried, log_here, log_there, there
from tests.server.serving import Serving

SLOW = {"do": "say", "text": "word " * 60, "pieces": 60, "pace_ms": 5}
LOOK = {"do": "call", "name": "list_dir", "input": {}}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "b.txt", "content": "1\n"}}


async def test_a_line_that_is_cut_again_and_again_leaves_no_gap_and_no_double(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    async with cutting(shared.address) as line:
        agent = hire(shared, [SLOW, LOOK], [SLOW], address=line.address)
        async with Studio(here, agents=[agent]) as studio:
            session = await studio.start(agent="afar", folder=folder)
            seen: list[Event] = []
            async for event in session.prompt("go"):
                seen.append(event)
                if event.type == "text_delta" and len(seen) % 7 == 0:
                    line.sever()
            assert seen[-1].data.success
            assert "conversation_retrying" in [event.type for event in seen]
            mine = await log_here(session)
    assert carried(mine) == carried(await log_there(shared, there(seen)))


async def test_through_the_death_of_the_other_one_the_tries_are_seen_and_the_answer_goes_on(
    serving: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(serving, [SLOW], [SLOW])
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        seen: list[Event] = []
        killed = False
        async for event in session.prompt("go"):
            seen.append(event)
            if not killed and event.type == "text_delta":
                killed = True
                await asyncio.to_thread(serving.kill)
                await asyncio.to_thread(serving.start)
        tries = [event.data for event in seen if event.type == "conversation_retrying"]
        assert [each.number for each in tries] == list(range(2, len(tries) + 2))
        assert all(serving.address in each.reason and each.of > len(tries) for each in tries)
        assert "stream_reset" in [event.type for event in seen]
        assert seen[-1].data.final_response == ("word " * 60).strip()
        mine = await log_here(session)
    assert carried(mine) == carried(await log_there(serving, there(seen)))


async def test_a_server_that_stays_away_ends_the_exchange_with_a_sentence(
    here: Path, folder: Path, serving: Serving, hire: Hire
) -> None:
    agent = hire(serving, [SLOW])
    async with Studio(here, agents=[agent], flags={"remote_patience": 0.5}) as studio:
        session = await studio.start(agent="afar", folder=folder)
        seen: list[Event] = []
        async for event in session.prompt("go"):
            seen.append(event)
            if event.type == "text_delta" and len(seen) < 20:
                await asyncio.to_thread(serving.kill)
        error = next(event.data for event in seen if event.type == "error_message")
        assert error.code == "unreachable"
        assert serving.address in error.message
        assert (seen[-1].type, seen[-1].data.stop_reason) == ("exchange_response", "error")
        stopped = session.prompt("again")
        async for event in stopped:
            if event.type == "conversation_retrying":
                await stopped.cancel()
        ends = [event for event in await session.facts() if event.type == "exchange_response"]
        assert len(ends) == 2


async def test_without_a_token_or_with_a_wrong_one_it_says_what_to_do(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(shared, [SLOW])
    assert agent.remote
    name = agent.remote.token_name
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        studio.runtime.keys.remove(name)
        error = await _error(session)
        assert (error.code, f"bottega keys set {name}" in error.hint) == ("misconfigured", True)
        studio.runtime.keys.set(name, "not-a-token-of-anybody", origin_of(shared.address))
        error = await _error(session)
        assert error.code == "not_signed_in"


async def _error(session: Session) -> object:
    seen = [event async for event in session.prompt("go")]
    assert seen[-1].data.stop_reason == "error"
    return next(event.data for event in seen if event.type == "error_message")


POINTS = ("far.after_start", "far.after_admit", "far.after_carry@9")


@pytest.mark.requirement("N03")
@pytest.mark.parametrize("point", POINTS)
async def test_a_process_that_dies_here_is_taken_up_and_what_runs_there_runs_once(
    point: str, shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(shared, [SLOW, LOOK], [SLOW])
    assert agent.remote
    remote_file(here, agent.remote, shared.token())
    name, _, count = point.partition("@")
    died = await asyncio.to_thread(_run, here, folder, f"{name}=kill@{count or 1}")
    assert died == -9
    async with Studio(here) as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        if answer := session.resume(wait=True):
            assert (await answer).success
        seen = await session.facts()
        mine = await log_here(session)
    theirs = await log_there(shared, there(seen))
    assert carried(mine) == carried(theirs)
    kinds = [body.split(b'"', 4)[3] for body in theirs]
    assert kinds.count(b"prompt_queued") == kinds.count(b"exchange_response") == 1
    assert [event.type for event in seen].count("remote_started") == 1
    assert "interrupted" not in [event.type for event in seen]


@pytest.mark.requirement("N03")
async def test_a_server_that_dies_before_it_has_sent_the_prompt_on_sends_it_when_it_is_back(
    shared: Serving, tmp_path: Path, scripted: Callable[..., str]
) -> None:
    agent_there(shared, scripted([SLOW], name="doer"))
    home, folder = tmp_path / "near-home", tmp_path / "near"
    folder.mkdir()
    dies = {"BOTTEGA_FAILPOINTS": "far.before_start=kill"}
    with Serving(home, folder, environment=dies) as near:
        remote_file(home, Whereabouts(shared.address, "doer"), shared.token())
        async with near.client() as client:
            session_id = (await client.post("/api/sessions", {"agent": "afar"}))["id"]
            with suppress(aiohttp.ClientError):
                said = {"message_id": str(uuid4()), "content": [{"type": "text", "text": "go"}]}
                await client.post(f"/api/sessions/{session_id}/prompts", said)
            assert await asyncio.to_thread(near.wait) == -9
    with Serving(home, folder) as near:
        async with Remote(near.address, near.token()) as remote:
            session = await remote.resume(session_id)
            answer = session.resume(wait=True)
            assert answer is None or (await answer).success
            seen = await session.facts()
        mine = await log_there(near, session_id)
    assert [event.data.success for event in seen if event.type == "exchange_response"] == [True]
    assert carried(mine) == carried(await log_there(shared, there(seen)))
    assert "interrupted" not in [event.type for event in seen], "nothing had begun"


def _run(home: Path, folder: Path, failpoints: str) -> int:
    command = [sys.executable, "-m", "bottega", "--home", str(home), "run", "-a", "afar", "go"]
    environment = {**os.environ, "BOTTEGA_FAILPOINTS": failpoints}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode


async def test_a_stop_that_was_cut_short_by_a_death_is_made_good(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    never = {"do": "gate", "path": "/nowhere"}
    agent = hire(shared, [SLOW, never])
    assert agent.remote
    remote_file(here, agent.remote, shared.token())
    command = [sys.executable, "-m", "bottega", "--home", str(here), "run", "-a", "afar", "go"]
    environment = {**os.environ, "BOTTEGA_FAILPOINTS": "far.before_stop=kill"}
    process = await asyncio.create_subprocess_exec(
        *command, "--stream", cwd=folder, env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout
    await process.stdout.read(20)
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert process.returncode == -9
    async with Studio(here) as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        if answer := session.resume(wait=True):
            await answer
        seen = await session.facts()
        mine = await log_here(session)
    assert (seen[-1].type, seen[-1].data.stop_reason) == ("exchange_response", "cancelled")
    theirs = await log_there(shared, there(seen))
    assert b'"stop_reason":"cancelled"' in theirs[-1]
    assert carried(mine) == carried(theirs), "what came before it died is there once"


async def test_no_token_is_in_any_event_or_file_but_the_key_ring(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(shared, [LOOK], [SLOW])
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        await session.prompt("go")
    token = shared.token().encode()
    found = [p for p in here.rglob("*") if p.is_file() and token in p.read_bytes()]
    assert found == []
