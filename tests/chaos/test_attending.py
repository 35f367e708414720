"""A server's worker that dies at any point: whoever attends next sees to every run within five seconds."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega import failpoint
from bottega.events import codec
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.messages.repair import repair
from bottega.sessions.inbox import Prompt
from bottega.studio import Session, Studio
from tests.chaos.after_death import calls_are_answered_once, stored
from tests.chaos.victim import leave_trace
from tests.forking import CONTEXT
from tests.hunt import LONG, SEED
from tests.messages import strict

POINTS = (
    "storage.before_commit",
    "storage.after_commit",
    "log.before_insert",
    "log.after_insert",
    "pen.after_write",
    "lease.before_take",
    "lease.before_release",
    "tool.after_intent",
    "tool.after_effect",
    "parking.after_ask",
)
PARKING = "parking.after_ask"
"""A run is asked about once, however many find it afterwards: nobody passes here a second time."""
KILLS = [
    (point, passage)
    for point in POINTS
    for passage in range(1, 2 if point == PARKING or not LONG else 6)
]
MOMENTS = 60 if LONG else 3
WITHIN = 5.0


def worker(home: Path, on_crash: str) -> Studio:
    flags = {"on_crash": on_crash, "grace": 0.1}
    return Studio(
        home, admits_as="server", on_crash=None, attends=True, tools=[leave_trace], flags=flags
    )


def _attend(home: str, on_crash: str, points: str) -> None:
    failpoint.arm(points)
    asyncio.run(_forever(Path(home), on_crash))


async def _forever(home: Path, on_crash: str) -> None:
    async with worker(home, on_crash):
        await asyncio.Event().wait()


class Killed:
    """A worker of its own process, which dies by itself or is killed."""

    def __init__(self, home: Path, on_crash: str = "resume", points: str = "") -> None:
        self.process = CONTEXT.Process(target=_attend, args=(str(home), on_crash, points))
        self.process.start()

    async def dead(self, over: Callable[[], Awaitable[Any]]) -> None:
        """Return once it died, or once what it has to do is over: then it is killed."""
        dying = asyncio.create_task(asyncio.to_thread(self.process.join))
        done = asyncio.ensure_future(over())
        try:
            async with asyncio.timeout(30):
                await asyncio.wait({dying, done}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            done.cancel()
            self.process.kill()
            await dying
        assert self.process.exitcode == -9


@pytest.fixture
def model(tmp_path: Path) -> str:
    trace = {"do": "call", "name": "leave_trace", "input": {"path": str(tmp_path / "trace")}}
    write = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "a"}}
    turns = [
        [
            {"do": "say", "text": "I will leave a trace and write a file.", "pace_ms": 1},
            trace,
            write,
        ],
        [{"do": "say", "text": "All of it is done, as far as I can tell.", "pace_ms": 1}],
    ]
    script = tmp_path / "s.json"
    script.write_bytes(msgspec.json.encode({"turns": turns}))
    return f"scripted/{script}"


class Follower:
    """Whoever follows from the beginning: what was shown once must stand in the log for good."""

    def __init__(self, studio: Studio, session: Session) -> None:
        self.rows: list[tuple[int, bytes]] = []
        self._over = self._asked = False
        self._more = asyncio.Condition()
        self._task = asyncio.create_task(self._follow(studio, session.row.n))

    async def _follow(self, studio: Studio, n: int) -> None:
        async for frame in studio.runtime.log.follow(n):
            self.rows += frame.events
            self._over |= any(b.startswith(b'{"type":"exchange_response"') for _, b in frame.events)
            self._asked |= any(b.startswith(b'{"type":"approval_req') for _, b in frame.events)
            async with self._more:
                self._more.notify_all()

    async def ended(self) -> None:
        async with self._more:
            await self._more.wait_for(lambda: self._over)

    async def asked(self) -> None:
        async with self._more:
            await self._more.wait_for(lambda: self._asked)

    async def reached(self, count: int) -> None:
        """So many rows have come, or the run has ended."""
        async with self._more:
            await self._more.wait_for(lambda: self._over or len(self.rows) >= count)

    def close(self) -> None:
        self._task.cancel()


async def begun(front: Studio, model: str, folder: Path) -> tuple[Session, Follower]:
    session = await front.start(model=model, folder=folder, mode="allow")
    follower = Follower(front, session)
    await session.admit(Prompt(fresh_message(), (Text("go"),)))
    return session, follower


def all_is_whole(home: Path, follower: Follower, trace: Path) -> list[Event]:
    """No gap, no double, each call answered once, one end, no effect twice, a history that providers accept."""
    (log,) = stored(home).values()
    assert follower.rows == [(event.index, codec.encode(event)) for event in log]
    calls_are_answered_once(log)
    assert Counter(event.type for event in log)["exchange_response"] == 1
    assert (trace.read_text() if trace.exists() else "").count("here") <= 1
    return log


@pytest.mark.chaos
@pytest.mark.requirement("C21")
@pytest.mark.parametrize(("point", "passage"), KILLS)
async def test_a_worker_that_dies_anywhere_leaves_what_the_next_one_ends_in_time(
    home: Path, folder: Path, tmp_path: Path, model: str, point: str, passage: int
) -> None:
    async with Studio(home, admits_as="server", runs=False) as front:
        session, follower = await begun(front, model, folder)
        first = "tool.after_intent=kill" if point == PARKING else ""
        if first:  # who parks is the second one
            await Killed(home, points=first).dead(follower.ended)
        parks = "park" if first else "resume"
        await Killed(home, parks, f"{point}=kill@{passage}").dead(follower.ended)
        await seen_to(home, parks, session, follower)
        log = all_is_whole(home, follower, tmp_path / "trace")
        strict.anthropic(repair(await session.history(), "anthropic"))
        follower.close()
    assert log[-1].data.success


async def seen_to(home: Path, on_crash: str, session: Session, follower: Follower) -> None:
    """Within five seconds of its start a worker has ended the run, or has it asked about, once."""
    began = time.monotonic()
    async with worker(home, on_crash):
        async with asyncio.timeout(WITHIN):
            if on_crash == "park":
                (ask,) = session.asks()
                await session.answer(ask, "continue")
            await follower.ended()
    assert time.monotonic() - began < WITHIN + 3


@pytest.mark.chaos
async def test_workers_that_die_while_an_ask_waits_ask_nothing_again(
    home: Path, folder: Path, tmp_path: Path, model: str
) -> None:
    async with Studio(home, admits_as="server", runs=False) as front:
        session, follower = await begun(front, model, folder)
        await Killed(home, points="tool.after_intent=kill").dead(follower.ended)
        for _ in range(3 if LONG else 1):
            await Killed(home, "park").dead(follower.asked)
        await seen_to(home, "park", session, follower)
        log = all_is_whole(home, follower, tmp_path / "trace")
        follower.close()
    assert Counter(event.type for event in log)["approval_required"] == 1


@pytest.mark.chaos
@pytest.mark.parametrize("life", range(MOMENTS))
async def test_workers_killed_at_random_moments_lose_and_double_nothing(
    home: Path, folder: Path, tmp_path: Path, model: str, life: int
) -> None:
    dice = random.Random(SEED * 7000 + life)
    async with Studio(home, admits_as="server", runs=False) as front:
        session, follower = await begun(front, model, folder)
        for _ in range(2):  # a third death in a row would have it asked about
            wanted = len(follower.rows) + dice.randrange(1, 12)
            await Killed(home).dead(lambda wanted=wanted: follower.reached(wanted))
        await seen_to(home, "resume", session, follower)
        all_is_whole(home, follower, tmp_path / "trace")
        follower.close()
