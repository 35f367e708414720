"""A tree of children and the death of its process: each task is done once, and nothing is left without an owner."""

import asyncio
import os
import random
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import Ask, Reply, failpoint
from bottega.agents.agent import Agent
from bottega.events.event import Event
from bottega.studio import Session, Studio
from bottega.workers.worker import OnCrash
from tests.chaos.after_death import calls_are_answered_once, stored
from tests.chaos.victim import leave_trace
from tests.forking import CONTEXT, Handle
from tests.hunt import LONG, SEED
from tests.processes import children as processes

POINTS = (
    "children.after_start",
    "children.after_end",
    "inbox.after_admit",
    "lease.before_take",
    "lease.before_release",
    "asks.after_open",
    "asks.after_answer",
    "tool.after_intent",
    "tool.after_effect",
    "storage.before_commit",
    "storage.after_commit",
)
KILLS = [(point, passage) for point in POINTS for passage in range(1, 25)]
if not LONG:
    KILLS = [(point, 2) for point in (*POINTS[:2], *POINTS[6:8])] + [("storage.after_commit", 30)]
MOMENTS = 60 if LONG else 1
SAID = "0190d5a0-0000-7000-8000-000000000001"
"""The id of the one prompt: whoever says it again follows it."""
AGENTS = (Agent(slug="helper", prompt="Help."),)


def hand(task: str) -> dict[str, Any]:
    return {"do": "call", "name": "delegate", "input": {"agent": "helper", "task": task}}


def write(name: str) -> dict[str, Any]:
    return {"do": "call", "name": "write_file", "input": {"file_path": name, "content": name}}


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def tree(folder: Path, deep: dict[str, Any] | None = None) -> str:
    """Two children side by side, one of them with a child of its own; all of them write, and ask for it."""
    trace = {"do": "call", "name": "leave_trace", "input": {"path": str(folder / "trace")}}
    turns = {
        "top": [[hand("left"), hand("right")], [say("All is done.")]],
        "left": [[write("left.txt")], [trace], [say("Left is done.")]],
        "right": [[hand("deep")], [write("right.txt")], [say("Right is done.")]],
        "deep": [[deep or write("deep.txt")], [say("Deep is done.")]],
    }
    rules = [{"when": word, "turns": steps} for word, steps in turns.items()]
    script = folder.parent / "tree.json"
    script.write_bytes(msgspec.json.encode({"rules": rules}))
    return f"scripted/{script}"


def allow(_: Ask) -> Reply:
    return Reply("allow_once")


def opened(home: Path, on_crash: OnCrash = "close", **flags: Any) -> Studio:
    return Studio(home, flags=flags, agents=AGENTS, tools=[leave_trace], on_crash=on_crash)


def _live(home: str, model: str, folder: str, points: str, out: Handle) -> None:
    failpoint.arm(points)
    asyncio.run(_prompt(Path(home), model, folder, out.number))
    os._exit(0)


async def _prompt(home: Path, model: str, folder: str, out: int) -> None:
    async with opened(home) as studio:
        session = await studio.start(model=model, folder=folder)
        async for event in session.prompt("top", message_id=SAID, on_approval=allow):
            os.write(out, event.type.encode() + b"\n")


class Victim:
    def __init__(self, home: Path, model: str, folder: Path, points: str = "") -> None:
        self._reads, writes = os.pipe()
        arguments = (str(home), model, str(folder), points, Handle(writes))
        self.process = CONTEXT.Process(target=_live, args=arguments)
        self.process.start()
        os.close(writes)

    async def told(self, events: int) -> None:
        """Wait until it has told of so many events, or is dead."""
        while events > 0 and (piece := await asyncio.to_thread(os.read, self._reads, 512)):
            events -= piece.count(b"\n")

    async def die(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        await self.told(1_000_000)
        os.close(self._reads)
        await asyncio.to_thread(self.process.join, 30)
        assert self.process.exitcode in (0, -9), "it hung, or failed"


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, str, Path]:
    folder = tmp_path / "project"
    folder.mkdir()
    return tmp_path / "home", tree(folder), folder


async def first(studio: Studio, model: str, folder: Path) -> Session:
    """The session at the top, mended; a new one where the victim did not get so far."""
    rows = await studio.sessions(1)
    if rows:
        return await studio.resume(rows[0].id)
    return await studio.start(model=model, folder=folder)


async def goes_on(home: Path, model: str, folder: Path) -> None:
    async with opened(home, "resume") as studio:
        session = await first(studio, model, folder)
        async with asyncio.timeout(30):
            await session.prompt("top", message_id=SAID, on_approval=allow)


def nothing_is_left(home: Path) -> dict[int, list[Event]]:
    """Every exchange has its one end, every call its one result and child, and nothing waits or runs."""
    logs = stored(home)
    for log in logs.values():
        prompts = Counter(event.message_id for event in log if event.type == "prompt_queued")
        over = ("exchange_response", "prompt_cancelled")
        assert prompts == Counter(event.message_id for event in log if event.type in over)
        calls_are_answered_once(log)
    connection = sqlite3.connect(home / "bottega.db")
    try:
        rows = connection.execute("SELECT status, holder, id, parent FROM sessions").fetchall()
        waiting = connection.execute("SELECT COUNT(*) FROM asks WHERE status = 'open'").fetchone()
    finally:
        connection.close()
    assert {(status, holder) for status, holder, _, _ in rows} <= {("idle", None)}
    assert waiting == (0,)
    told = [e.data.session_id for log in logs.values() for e in log if e.type == "child_started"]
    assert Counter(told) == Counter(id for _, _, id, parent in rows if parent is not None)
    return logs


def each_task_was_done_once(home: Path, folder: Path) -> None:
    logs = nothing_is_left(home)
    calls = Counter(
        (n, event.message_id, event.data.tool_id)
        for n, log in logs.items()
        for event in log
        if event.type == "child_started"
    )
    assert max(calls.values(), default=1) == 1, "a second child for the same call"
    tasks = Counter(e.data.task for log in logs.values() for e in log if e.type == "child_started")
    assert tasks == {"left": 1, "right": 1, "deep": 1}
    for log in logs.values():
        (end,) = [event.data for event in log if event.type == "exchange_response"]
        assert end.success, end
    for name in ("left.txt", "right.txt", "deep.txt"):
        assert (folder / name).read_text() == name
    results = [e.data for log in logs.values() for e in log if e.type == "tool_result"]
    traced = next(each for each in results if each.name == "leave_trace")
    lines = (folder / "trace").read_text().splitlines() if (folder / "trace").exists() else []
    assert len(lines) <= 1, "an effect was doubled"
    assert lines or traced.is_error
    assert not list(folder.glob(".bottega-*"))


@pytest.mark.chaos
@pytest.mark.parametrize(("point", "passage"), KILLS)
async def test_a_tree_that_died_goes_on_and_does_each_task_once(
    place: tuple[Path, str, Path], point: str, passage: int
) -> None:
    home, model, folder = place
    await Victim(home, model, folder, f"{point}=kill@{passage}").die()
    await goes_on(home, model, folder)
    each_task_was_done_once(home, folder)


@pytest.mark.chaos
@pytest.mark.parametrize("life", range(MOMENTS))
async def test_a_tree_killed_at_a_random_moment_goes_on_and_does_each_task_once(
    place: tuple[Path, str, Path], life: int
) -> None:
    home, model, folder = place
    victim = Victim(home, model, folder)
    await victim.told(random.Random(SEED * 1000 + life).randrange(1, 50))
    await victim.die(kill=True)
    await goes_on(home, model, folder)
    each_task_was_done_once(home, folder)


@pytest.mark.chaos
@pytest.mark.parametrize("life", range(MOMENTS))
async def test_a_tree_that_died_and_is_closed_leaves_nothing_without_an_owner(
    place: tuple[Path, str, Path], life: int
) -> None:
    home, model, folder = place
    victim = Victim(home, model, folder)
    await victim.told(random.Random(SEED * 2000 + life).randrange(1, 50))
    await victim.die(kill=True)
    async with opened(home, "close") as studio:
        session = await first(studio, model, folder)
        if await session.facts():  # what was asked outlives its process; a person says no more
            await session.cancel(SAID)
            async with asyncio.timeout(20):
                await session.prompt("top", message_id=SAID, on_approval=allow)
    for log in nothing_is_left(home).values():
        reasons = {e.data.completion_reason for e in log if e.type == "exchange_response"}
        assert reasons <= {"no_more_actions", "interrupted", "user_stopped"}


@pytest.mark.chaos
@pytest.mark.parametrize(
    "point", ["children.after_start", "tool.after_intent", "children.after_end"]
)
async def test_children_of_a_parent_that_is_closed_as_interrupted_are_closed_so_too(
    place: tuple[Path, str, Path], point: str
) -> None:
    home, model, folder = place
    await Victim(home, model, folder, f"{point}=kill@2").die()
    async with opened(home, "close") as studio:
        session = await first(studio, model, folder)
        for ask in session.asks():
            await session.answer(ask, "allow_once")
        if following := session.resume(on_approval=allow, wait=True):
            await following
    for log in nothing_is_left(home).values():
        for event in log:
            if event.type == "exchange_response":
                assert event.data.success or event.data.completion_reason == "interrupted"


@pytest.mark.chaos
async def test_what_a_child_asked_outlives_its_process_and_its_answer_has_the_tree_go_on(
    place: tuple[Path, str, Path],
) -> None:
    home, model, folder = place
    await Victim(home, model, folder, "asks.after_answer=kill").die()
    async with opened(home, "close") as studio, asyncio.timeout(20):
        session = await first(studio, model, folder)
        for ask in session.asks():
            await session.answer(ask, "allow_once")
        following = session.resume(on_approval=allow, wait=True)
        assert following is not None
        await following
    each_task_was_done_once(home, folder)


@pytest.mark.chaos
@pytest.mark.parametrize("life", range(MOMENTS))
async def test_a_cancel_at_any_moment_ends_all_children_and_their_processes(
    tmp_path: Path, life: int
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    sleeps = {"do": "call", "name": "bash_exec", "input": {"command": "sleep 60"}}
    model = tree(folder, deep=sleeps)
    wanted = random.Random(SEED * 3000 + life).randrange(1, 40)
    before = processes()
    async with opened(tmp_path / "home") as studio:
        session = await studio.start(model=model, folder=folder)
        answer = session.prompt("top", on_approval=allow)
        async with asyncio.timeout(30):
            async for event in answer:
                wanted -= 1
                asked = event.type == "approval_required" and event.data.tool_name == "bash_exec"
                if wanted == 0 or asked:
                    await answer.cancel()
        async with asyncio.timeout(
            20
        ):  # one that looks whether a sandbox can be had ends by itself
            while processes() - before:
                await asyncio.sleep(0.01)
    for log in nothing_is_left(tmp_path / "home").values():
        reasons = [e.data.completion_reason for e in log if e.type == "exchange_response"]
        assert set(reasons) <= {"user_stopped", "no_more_actions"}


@pytest.mark.chaos
async def test_a_parked_tree_is_answered_and_goes_on_in_other_processes(
    place: tuple[Path, str, Path],
) -> None:
    home, model, folder = place
    rounds = 0
    async with opened(home, patience=0) as studio:
        session = await studio.start(model=model, folder=folder)
        async with asyncio.timeout(20):
            async for _ in session.prompt("top"):
                pass
    while True:
        async with opened(home, patience=0) as studio:
            session = studio.find(session.id)
            pending = session.asks()
            if not pending:
                break
            rounds += 1
            assert rounds < 10
            statuses = {row.status for row in studio.runtime.sessions.children(session.row.n)}
            assert "running" not in statuses, "parked, but not whole"
        async with opened(home) as other:  # only answers
            await other.find(session.id).answer(pending[0].id, "allow_once")
        async with opened(home, patience=0) as studio, asyncio.timeout(20):
            following = studio.find(session.id).resume()
            assert following is not None
            async for _ in following:
                pass
    each_task_was_done_once(home, folder)


@pytest.mark.chaos
@pytest.mark.parametrize("life", range(10 if LONG else 1))
async def test_another_process_that_follows_takes_the_whole_tree_over(
    place: tuple[Path, str, Path], life: int
) -> None:
    home, model, folder = place
    victim = Victim(home, model, folder)
    dice = random.Random(SEED * 4000 + life)
    await victim.told(dice.randrange(4, 12))
    async with opened(home, "resume") as studio, asyncio.timeout(30):
        (row,) = await studio.sessions()
        following = studio.find(row.id).resume(on_approval=allow, wait=True)
        killing = asyncio.create_task(_killed(victim, dice.randrange(1, 30)))
        if following:
            await following
        await killing
    each_task_was_done_once(home, folder)


async def _killed(victim: Victim, after: int) -> None:
    await victim.told(after)
    await victim.die(kill=True)
