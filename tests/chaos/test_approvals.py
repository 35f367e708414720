"""Whoever answers, cancels or dies: one decision for each ask, and no effect without an approval of exactly it."""

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import failpoint
from bottega.errors import Problem
from bottega.events import facts
from bottega.events.event import Event
from bottega.sessions.asks import Ask, Reply
from bottega.studio import Session, Studio
from tests.chaos.after_death import calls_are_answered_once, stored
from tests.forking import CONTEXT
from tests.hunt import LONG, SEED

RACES = 2000 if LONG else 20
KILLS = 56 if LONG else 2
"""Passages that each point is killed at."""

POINTS = (
    "asks.after_open",
    "asks.after_answer",
    "lease.before_release",
    "storage.before_commit",
    "storage.after_commit",
    "tool.after_intent",
    "tool.after_effect",
    "files.before_rename",
    "files.after_rename",
)


def script(path: Path, *turns: list[dict[str, Any]]) -> str:
    path.write_bytes(msgspec.json.encode({"turns": turns}))
    return f"scripted/{path}"


def write(name: str, content: str) -> dict[str, Any]:
    return {"do": "call", "name": "write_file", "input": {"file_path": name, "content": content}}


SAY = [{"do": "say", "text": "Done."}]


def every_effect_was_allowed(log: list[Event], folder: Path) -> None:
    """Each ask has at most one answer; each intent of a write follows an answer that allowed exactly that."""
    asked = {e.data.approval_id: e.data for e in log if e.type == "approval_required"}
    answers: dict[str, facts.ApprovalResolved] = {}
    written: set[str] = set()
    for event in log:
        if event.type == "approval_resolved":
            assert event.data.approval_id not in answers, "two decisions"
            answers[event.data.approval_id] = event.data
        elif event.type == "tool_intent":
            written |= {change.path for change in event.data.writes}
            if not event.data.approval_id:  # covered by what was allowed for the whole session
                assert event.data.name in {each.grant for each in answers.values()}
                continue
            allowed = answers[event.data.approval_id]
            assert allowed.answer in ("allow_once", "allow_all", "edit")
            if allowed.answer == "edit":
                assert event.data.input == allowed.input
            else:
                assert event.data.hash == allowed.hash == asked[allowed.approval_id].hash
    there = {path.name for path in folder.iterdir() if not path.name.endswith(".tmp")}
    assert there <= written, "a file that nobody allowed"


@pytest.mark.chaos
@pytest.mark.requirement("C9")
async def test_racing_answers_and_cancels_give_one_decision_and_no_effect_without_it(
    tmp_path: Path,
) -> None:
    dice = random.Random(SEED)
    async with Studio(tmp_path / "home") as one, Studio(tmp_path / "home") as two:
        for number in range(RACES):
            folder = tmp_path / f"project-{number}"
            folder.mkdir()
            model = script(tmp_path / "s.json", [write("a", "1"), write("b", "2")], SAY)
            session = await one.start(model=model, folder=folder)
            await _race(session, Session(two.opened, session.row), dice)
            log = await session.facts()
            every_effect_was_allowed(log, folder)
            calls_are_answered_once(log)
            assert session.asks() == []
            assert sum(event.type == "exchange_response" for event in log) == 1


async def _race(session: Session, other: Session, dice: random.Random) -> None:
    """Have two programs answer or cancel everything that is asked, at the same time."""
    answer = session.prompt("go", wait=True)
    rivals: list[asyncio.Task[None]] = []
    async for event in answer:
        if event.type == "approval_required":
            ask = next(ask for ask in (*session.asks(), None) if ask is None or _is(ask, event))
            if ask is None:
                continue
            for who in (session, other):
                rivals.append(asyncio.create_task(_act(who, ask, answer.message_id, dice)))
    await asyncio.gather(*rivals)


def _is(ask: Ask, event: Event) -> bool:
    return ask.id == event.data.approval_id


async def _act(who: Session, ask: Ask, message_id: str, dice: random.Random) -> None:
    for _ in range(dice.randrange(4)):
        await asyncio.sleep(0)
    kind = dice.choice(["allow_once", "allow_once", "allow_all", "deny", "edit", "stop", "cancel"])
    try:
        if kind == "cancel":
            await who.cancel(message_id)
        elif kind == "edit":
            changed = {**ask.input, "content": "changed"}
            await who.answer(ask, "edit", input=changed)
        else:
            await who.answer(ask, kind)  # type: ignore[arg-type]
    except Problem:
        pass  # somebody else was first


@pytest.mark.chaos
@pytest.mark.parametrize("passage", range(1, KILLS + 1))
@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_around_an_approval_leaves_it_answerable_and_runs_nothing_twice(
    tmp_path: Path, point: str, passage: int
) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    model = script(tmp_path / "s.json", [write("a", "1"), write("b", "2")], SAY, SAY)
    victim = CONTEXT.Process(
        target=_live, args=(str(home), model, str(folder), f"{point}=kill@{passage}")
    )
    victim.start()
    await asyncio.to_thread(victim.join, 30)
    assert victim.exitcode in (0, -9), "it hung, or failed"
    if (home / "bottega.db").exists():
        for log in stored(home).values():
            every_effect_was_allowed(log, folder)
    await _goes_on(home, model, folder)
    assert not list(folder.glob(".bottega-*")), "what was being written is cleared away"
    for log in stored(home).values():
        every_effect_was_allowed(log, folder)
        calls_are_answered_once(log)
        ended = [event for event in log if event.type == "exchange_response"]
        assert len(ended) == len({event.message_id for event in ended})
        for name in ("a", "b"):
            intents = [e for e in log if e.type == "tool_intent" and e.data.writes[0].path == name]
            assert len(intents) <= 2, "written again and again"
            made = [e for e in log if e.type == "tool_result" and not e.data.is_error]
            if (folder / name).exists() and intents:
                told = [e for e in made if e.data.tool_id == intents[0].data.tool_id]
                assert told, "a write that was made is told as made"


def _live(home: str, model: str, folder: str, points: str) -> None:
    failpoint.arm(points)
    asyncio.run(_prompt(Path(home), model, folder))
    os._exit(0)


async def _prompt(home: Path, model: str, folder: str) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("go", on_approval=lambda _: Reply("allow_once"))


async def _goes_on(home: Path, model: str, folder: Path) -> None:
    """What was asked is still asked, once, and can be answered; what follows works."""
    async with Studio(home, on_crash="resume") as studio:
        rows = await studio.sessions(1)
        if not rows:
            session = await studio.start(model=model, folder=folder)
            await session.prompt("go", on_approval=lambda _: Reply("allow_once"))
            return
        session = await studio.resume(rows[0].id)
        pending = session.asks()
        assert len({ask.asked.tool_id for ask in pending}) == len(pending), "asked twice"
        for ask in pending:
            await session.answer(ask, "allow_once")
        following = session.resume(on_approval=lambda _: Reply("allow_once"), wait=True)
        if following:
            assert await following
        assert session.asks() == []
