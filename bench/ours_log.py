"""The log by itself: producers who wait for the disk, a replay to messages, the opening of a long session."""

import asyncio
import time
from contextlib import AsyncExitStack
from statistics import median, quantiles

from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.events.facts import ToolOutputDelta
from bottega.sessions.pen import Pen
from bottega.sessions.told.transcript import Transcript
from bottega.studio import Session, Studio
from stopwatch import Figures, cpu_of, main
from workshop import opened, pen_of, started, work

MODE = "burst-10"
PRODUCERS = 50


async def commit(url: str, quick: bool) -> Figures:
    """Durable events per second of producers that wait for each of theirs."""
    async with opened(url, MODE) as studio, AsyncExitStack() as pens:
        sessions = [await started(studio, MODE) for _ in range(PRODUCERS)]
        held = [await pens.enter_async_context(pen_of(studio, one)) for one in sessions]
        until = time.perf_counter() + (0.5 if quick else 2.0)
        writer = studio.runtime.database.writer
        commits, wall, begin = writer.commits, time.perf_counter(), time.process_time()
        written = sum(await asyncio.gather(*(produced(pen, until) for pen in held)))
        spent, wall = time.process_time() - begin, time.perf_counter() - wall
        return {
            "commit.events": written / wall,
            "commit.cpu": spent / written * 1e6,
            "commit.group": written / (writer.commits - commits),
        }


async def produced(pen: Pen, until: float) -> int:
    event = Event("tool_output_delta", 1760000000000, ToolOutputDelta("call_1", "x" * 100), "m")
    count = 0
    while time.perf_counter() < until:
        await pen.record(event)
        count += 1
    return count


async def log(url: str, quick: bool) -> Figures:
    figures: Figures = {}
    halves: dict[int, float] = {}
    async with opened(url, MODE) as studio:
        for length in (1000, 10_000):
            session = await started(studio, MODE, work(length))
            spent = await cpu_of(session.history, 0.2 if quick else 1.0, least=3)
            figures[f"replay.{length}"] = spent * 1e3
            walls = [await paint(studio, session) for _ in range(50 if quick else 300)]
            halves[length] = median(walls)
            figures["open.p50"] = halves[length]
            figures["open.p95"] = quantiles(walls, n=20)[-1]
    return figures | {"open.length": halves[10_000] / halves[1000]}


async def paint(studio: Studio, session: Session) -> float:
    """Milliseconds until all that a screen shows first is there."""
    begin = time.perf_counter()
    row = studio.runtime.sessions.get(session.id)
    said = Transcript()
    for index, body in await studio.runtime.log.tail(row.n, limit=80):
        said.add(decode(index, body))
    items = said.items()
    spent = (time.perf_counter() - begin) * 1e3
    assert items, "nothing to paint"
    return spent


if __name__ == "__main__":
    main(commit=commit, log=log)
