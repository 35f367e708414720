"""`bottega serve --workers`: processes that run, die, are told of, and are started again."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bottega.server.staff import supervisor as supervisors
from bottega.server.staff.supervisor import Supervisor
from bottega.studio import Studio
from tests.server.runs.front import Follower, front, gone, kill, running_now, say, script, until
from tests.server.serving import Client, Serving

LONG = " ".join(f"word{number}" for number in range(60))
WORDS = {"do": "say", "text": LONG, "pace_ms": 10}


def staffed(home: Path, folder: Path, workers: int = 2, **environment: str) -> Serving:
    settings = {"BOTTEGA_GRACE": "0.2", **environment}
    return Serving(home, folder, "--workers", str(workers), environment=settings)


async def at_work(client: Client, count: int) -> list[dict[str, Any]]:
    """Wait until so many workers are there."""
    async with asyncio.timeout(20):
        while True:
            members = (await client.get("/api/workers"))["workers"]
            if [each["state"] for each in members].count("running") == count:
                return members
            await asyncio.sleep(0.02)


@pytest.mark.requirement("S18", "C21")
async def test_what_a_killed_worker_ran_is_taken_over_and_no_follower_misses_a_byte(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    model = script(tmp_path / "s.json", [WORDS])
    with staffed(home, folder) as serving:
        async with serving.client() as client, front(home) as studio:
            await at_work(client, 2)
            session = await studio.start(model=model, folder=folder)
            follower = Follower(studio, session)
            await say(session)
            await until(session, "text_delta", times=5)
            (busy,) = [each for each in await at_work(client, 2) if each["sessions"]]
            died = time.time_ns() // 1_000_000
            kill(busy["pid"])
            log = await follower.end()
            members = await at_work(client, 2)
    kinds = Counter(event.type for event in log)
    assert (kinds["interrupted"], kinds["stream_reset"]) == (1, 1)
    assert kinds["message_start"] == 2, "the model was asked once more, and no more"
    assert log[-1].data.final_response == LONG
    interrupted = next(event for event in log if event.type == "interrupted")
    assert interrupted.at - died < 5000
    (again,) = [each for each in members if each["id"] == busy["id"]]
    assert again["pid"] != busy["pid"]
    assert again["restarts"] == 1


@pytest.mark.requirement("S18")
async def test_no_process_outlives_a_killed_server(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    sleeps = {"do": "call", "name": "bash_exec", "input": {"command": "sleep 7654.3"}}
    model = script(tmp_path / "s.json", [sleeps], [{"do": "say", "text": "Awake."}])
    with staffed(home, folder) as serving:
        async with serving.client() as client, front(home) as studio:
            members = await at_work(client, 2)
            session = await studio.start(model=model, folder=folder, mode="allow")
            await say(session)
            asleep = await running_now("sleep\x007654.3")
            serving.kill()
            await gone({each["pid"] for each in members}, seconds=2)
            await gone(asleep, seconds=8)
            serving.start()
            await until(session, "exchange_response")
    log = await session_log(home, session.id)
    (result,) = [event.data for event in log if event.type == "tool_result"]
    assert "outcome unknown" in result.content[0].text


async def session_log(home: Path, session_id: str) -> list[Any]:
    async with front(home) as studio:
        return await studio.find(session_id).facts()


async def test_the_host_sees_the_workers_and_can_have_one_begin_anew(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    model = script(tmp_path / "s.json", [{"do": "gate", "path": str(gate)}, WORDS])
    with staffed(home, folder, workers=1) as serving:
        async with serving.client() as client, front(home) as studio:
            (before,) = await at_work(client, 1)
            assert before["id"] == "worker-1"
            session = await studio.start(model=model, folder=folder)
            await say(session)
            await until(session, "message_start")
            await client.post("/api/workers/worker-1/restart")
            await gone({before["pid"]}, seconds=8)
            gate.touch()
            await until(session, "exchange_response")
            (after,) = await at_work(client, 1)
            status, problem = await client.call("POST", "/api/workers/worker-9/restart")
    assert after["pid"] != before["pid"]
    assert (status, problem["code"]) == (404, "not_found")


async def test_workers_are_the_hosts_alone(home: Path, folder: Path) -> None:
    with Serving(home, folder) as serving:
        token = serving.token("Ada")
        async with serving.client(token) as ada, serving.client() as host:
            assert (await ada.call("GET", "/api/workers"))[0] == 403
            theirs = await ada.call("POST", "/api/workers/server/restart")
            none = await ada.call("POST", "/api/workers/nobody/restart")
            (only,) = (await host.get("/api/workers"))["workers"]
            status, problem = await host.call("POST", "/api/workers/server/restart")
    assert theirs[0] == none[0] == 404
    assert theirs[1]["detail"].replace("server", "nobody") == none[1]["detail"]
    assert (only["id"], only["pid"], only["state"]) == ("server", serving.pid, "running")
    assert (status, problem["code"]) == (409, "conflict")


@pytest.fixture
async def studio(home: Path) -> AsyncIterator[Studio]:
    async with front(home) as opened:
        yield opened


@pytest.mark.requirement("S18")
async def test_who_sees_a_session_is_told_that_its_worker_died_and_that_it_is_back(
    home: Path, folder: Path, studio: Studio, tmp_path: Path
) -> None:
    told: asyncio.Queue[tuple[float, int, dict[str, Any]]] = asyncio.Queue()
    command = (sys.executable, "-m", "bottega", "--home", str(home), "work", "--owned")
    supervisor = Supervisor(
        studio, command, 1, lambda n, frame: told.put_nowait((time.monotonic(), n, frame))
    )
    supervisor.start()
    try:
        gate = tmp_path / "gate"
        model = script(tmp_path / "s.json", [{"do": "gate", "path": str(gate)}, WORDS])
        session = await studio.start(model=model, folder=folder)
        said = await say(session)
        await until(session, "message_start")
        kill(supervisor.members()[0].pid)
        died = time.monotonic()
        async with asyncio.timeout(20):
            at, n, exited = await told.get()
            _, _, restarted = await told.get()
        gate.touch()
        await until(session, "exchange_response")
    finally:
        await supervisor.leave()
    about = {"session_id": session.id, "message_id": said}
    assert at - died < 2
    assert n == session.row.n
    assert exited == {"type": "worker-exited", **about}
    assert restarted == {"type": "worker-restarted", **about}


async def test_a_worker_that_dies_over_and_over_is_started_ever_more_slowly(
    studio: Studio, tmp_path: Path
) -> None:
    lives = tmp_path / "lives"
    code = f"import time; open({str(lives)!r}, 'a').write(f'{{time.monotonic()}}\\n')"
    supervisor = Supervisor(studio, (sys.executable, "-Sc", code), 1, lambda n, frame: None)
    supervisor.start()
    try:
        async with asyncio.timeout(20):
            while not lives.exists() or len(lives.read_text().split()) < 4:
                await asyncio.sleep(0.02)
            # It may have written its line before whoever started it could count it, and is gone soon after.
            while supervisor.members()[0].restarts < 3:
                await asyncio.sleep(0.02)
        (member,) = supervisor.members()
    finally:
        await supervisor.leave()
    at = [float(each) for each in lives.read_text().split()]
    assert at[1] - at[0] < 0.5
    assert at[2] - at[1] >= 0.5
    assert at[3] - at[2] >= 1.0
    assert member.restarts in (3, 4)


async def test_a_worker_that_cannot_be_started_is_tried_again(
    studio: Studio, tmp_path: Path
) -> None:
    program, made = tmp_path / "worker", tmp_path / "made"
    supervisor = Supervisor(studio, (str(program),), 1, lambda n, frame: None)
    supervisor.start()
    try:
        async with asyncio.timeout(20):
            while supervisor.members()[0].restarts < 2:
                await asyncio.sleep(0.01)
            made.write_text("#!/bin/sh\necho wrk_there\nexec sleep 60\n")
            made.chmod(0o755)
            made.rename(program)
            while supervisor.members()[0].state != "running":
                await asyncio.sleep(0.01)
    finally:
        await supervisor.leave()


async def test_one_that_rests_holds_up_no_end(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisors, "PAUSES", (60.0,))
    monkeypatch.setattr(supervisors, "MARGIN", 60.0)
    supervisor = Supervisor(studio, (str(tmp_path / "nothing"),), 1, lambda n, frame: None)
    supervisor.start()
    async with asyncio.timeout(20):
        while not supervisor.members()[0].restarts:
            await asyncio.sleep(0.01)
        await supervisor.leave()
