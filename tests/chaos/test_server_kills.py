"""kill -9 of the server at every failpoint: what was shown stays, what was allowed is done at most once, work goes on.

Each death is followed by a start, after which every run must be over, or wait for an answer, within 5 s; then its
client goes on with its day as if nothing had been, and the home is looked over.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest

from bottega.events import codec
from bottega.events.event import Event
from bottega.messages.repair import repair
from bottega.sessions.care import leftovers
from bottega.studio import Studio
from tests.chaos.after_death import calls_are_answered_once
from tests.chaos.day import Day, rows, script
from tests.chaos.forked import NEVER, Forked
from tests.hunt import LONG
from tests.messages import strict

SOURCES = Path(__file__).parent.parent.parent / "src"
ALL = sorted(
    {
        name
        for path in SOURCES.rglob("*.py")
        for name in re.findall(r'failpoint\("([a-z_.]+)"\)', path.read_text("utf-8"))
    }
)
ELSEWHERE = {
    "files.before_switch_back": "only where a change fails half-way: tests/workspaces/changes",
    **dict.fromkeys(
        (
            *("far.before_start", "far.after_start", "far.after_admit"),
            *("far.after_carry", "far.before_stop"),
        ),
        "only where another server answers: tests/remote",
    ),
}
"""Points that no request to a server comes to by itself, and where they are tried."""
AFTER = {"fence.after_take_over": "resume", "parking.after_ask": "park"}
"""Points that only the life after a death comes to, and what it must do with what it finds."""
SHARE = (
    "asks.after_answer",
    "children.after_end",
    "compacting.before_fact",
    "inbox.after_admit",
    "storage.after_commit",
    "tool.after_effect",
    "turning.before_leftovers",
)
"""One of each kind, for every run of the suite; the long hunt takes them all."""
BY_THE_SERVER = {
    *("asks.after_answer", "migrate.before_commit", "retention.after_remove"),
    *("key.before_write", "key.before_sync", "key.before_rename", "key.after_rename"),
    *("turning.after_clear", "turning.before_leftovers"),
    *("whole.before_sync", "whole.before_rename", "whole.after_rename"),
}
"""Points that only the server comes to, where it has worker processes."""
SHARE_OF_WORKERS = ("compacting.before_fact", "tool.after_effect")
IN_WORKERS = [
    name
    for name in ALL
    if (name in SHARE_OF_WORKERS or LONG) and name not in {*BY_THE_SERVER, *ELSEWHERE, *AFTER}
]
HERE = [name for name in ALL if name not in {*ELSEWHERE, *AFTER} and (LONG or name in SHARE)]
PASSAGES = (1, 2, 3, 5, 8) if LONG else (1,)
PATIENCE = 5.0


@pytest.fixture
def forked(home: Path, folder: Path) -> Iterator[Forked]:
    server = Forked(home, folder)
    yield server
    server.kill()


@pytest.fixture
def day(tmp_path: Path) -> Day:
    return Day(script(tmp_path / "script.json"))


@pytest.mark.chaos
async def test_a_day_comes_to_every_failpoint_but_those_that_are_named(
    forked: Forked, day: Day
) -> None:
    forked.start(*(f"{name}=kill@{NEVER}" for name in ALL))
    async with day.at(forked.address, await forked.token()):
        await day.spend()
    passed = forked.passages()
    assert set(ALL) - set(passed) == {*ELSEWHERE, *AFTER}


@pytest.mark.chaos
@pytest.mark.requirement("C21")
@pytest.mark.parametrize("passage", PASSAGES)
@pytest.mark.parametrize("point", HERE)
async def test_a_server_that_dies_at_a_failpoint_loses_nothing_and_does_nothing_twice(
    forked: Forked, day: Day, point: str, passage: int
) -> None:
    if forked.start(f"{point}=kill@{passage}"):
        with suppress(aiohttp.ClientError, OSError, EOFError):
            async with day.at(forked.address, await forked.token()):
                await day.spend()
    if passage == 1 or not forked.is_alive():
        assert await forked.death() == -9, "the point was never passed"
    forked.kill()
    await goes_on(forked, day)


@pytest.mark.chaos
@pytest.mark.requirement("C21", "S18")
@pytest.mark.parametrize("passage", PASSAGES)
@pytest.mark.parametrize("point", IN_WORKERS)
async def test_workers_that_die_at_a_failpoint_spoil_nobodys_day(
    forked: Forked, day: Day, point: str, passage: int
) -> None:
    """The server lives on: its client need not connect anew, nor say anything again."""
    assert forked.start(f"{point}=kill@{passage}", workers=2)
    async with day.at(forked.address, await forked.token()):
        await day.spend()
        assert await day.restarts() or passage > 1, "the point was never passed"
        async with asyncio.timeout(PATIENCE):
            await day.settled()
    forked.kill()
    await all_is_well(forked, day)


@pytest.mark.chaos
@pytest.mark.requirement("C21")
@pytest.mark.parametrize("point", AFTER)
async def test_a_server_that_dies_of_what_it_found_loses_nothing_and_does_nothing_twice(
    forked: Forked, day: Day, point: str
) -> None:
    forked.home.mkdir()
    (forked.home / "config.toml").write_text(f'on_crash = "{AFTER[point]}"\n')
    forked.start("tool.after_intent=kill@1")
    with suppress(aiohttp.ClientError, OSError, EOFError):
        async with day.at(forked.address, await forked.token()):
            await day.spend()
    assert await forked.death() == -9
    forked.start(f"{point}=kill")
    assert await forked.death() == -9, "the point was never passed"
    await goes_on(forked, day)


async def goes_on(forked: Forked, day: Day) -> None:
    """In the next life all is over, or waits for an answer, at once; and the day can be spent to its end."""
    assert forked.start()
    async with day.at(forked.address, await forked.token()):
        async with asyncio.timeout(PATIENCE):
            await day.settled()
        await day.allow_all()
        await day.settled()
        await day.spend()
    forked.kill()
    await all_is_well(forked, day)


async def all_is_well(forked: Forked, day: Day) -> None:
    """I1 to I8, as far as one home shows them."""
    there = rows(forked.home)
    for session, seen in day.seen.items():  # I1: what was shown is there, the same
        assert {index: there[session][index] for index in seen} == seen
    logs = {
        session: [codec.decode(index, body) for index, body in log.items()]
        for session, log in there.items()
    }
    for log in logs.values():
        assert [event.index for event in log] == list(range(1, len(log) + 1))  # I2
        calls_are_answered_once(log)
        each_prompt_has_one_end(log)
    effects_were_allowed(logs)
    trace = forked.folder / "trace"
    assert not trace.exists() or trace.read_text() == "here\n", "a command ran twice"
    await histories_are_valid(forked.home)
    nothing_is_left_behind(forked)


def each_prompt_has_one_end(log: list[Event]) -> None:
    """I5. A fork, or what was cleared, may hold ends without their prompts."""
    ends = Counter(event.message_id for event in log if event.type == "exchange_response")
    assert max(ends.values(), default=1) == 1
    assert {event.message_id for event in log if event.type == "user_message"} <= set(ends)


def effects_were_allowed(logs: dict[str, list[Event]]) -> None:
    """I3 and I4: each call that changes something has one intent, and the yes of a person to exactly that."""
    events = [event for log in logs.values() for event in log]
    allowed = {
        event.data.approval_id: event.data.hash
        for event in events
        if event.type == "approval_resolved" and event.data.answer == "allow_once"
    }
    for event in events:
        if event.type == "tool_intent" and {"write", "exec"} & set(event.data.effects):
            assert allowed[event.data.approval_id] == event.data.hash


async def histories_are_valid(home: Path) -> None:
    """I6; and what a crash left over can be swept away."""
    async with Studio(home) as studio:
        await leftovers.sweep(studio.runtime.database, studio.runtime.blobs, grace=0)
        for row in await studio.sessions(50):
            history = await studio.find(row.id).history()
            strict.anthropic(repair(history, "anthropic"))
            strict.openai_chat(repair(history, "openai-chat"))


def nothing_is_left_behind(forked: Forked) -> None:
    """I8: no process that works in the folder, no half-written file."""
    assert not list(forked.folder.glob(".bottega-*"))
    assert not list((forked.home / "blobs").glob("*.part"))
    named = str(forked.folder).encode()
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            assert named not in (each / "cmdline").read_bytes(), (each / "cmdline").read_bytes()
