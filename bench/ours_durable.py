"""Bottega's whole way: provider → loop → durable log → one follower in this process."""

import asyncio
import time

from bottega.events.facts import ExchangeResponse, TextDelta
from bottega.studio import Session, Studio
from ours_stream import flat
from stopwatch import BURST, LENGTHS, PACE, QUESTION, STREAMS, Figures, Work, cpu_of, main
from workshop import opened, started


async def durable(url: str, quick: bool) -> Figures:
    figures: Figures = {}
    lengths = (BURST,) if quick else (BURST, *LENGTHS)
    async with opened(url, *(f"burst-{length}" for length in lengths)) as studio:
        for length in lengths:
            read = reader(await started(studio, f"burst-{length}"))
            spent = await cpu_of(read, 0.3 if quick else 1.0, least=1)
            figures[f"durable.{length}"] = spent / length * 1e6
    figures["durable.burst"] = figures.pop(f"durable.{BURST}")
    return flat(figures, "durable")


def reader(session: Session) -> Work:
    """What prompts the session and follows to the end of the answer."""

    async def read() -> None:
        end = None
        async for event in session.prompt(QUESTION):
            end = event.data
        assert isinstance(end, ExchangeResponse), f"it ended with {end!r}"
        assert end.success, end

    return read


async def paced(url: str, quick: bool) -> Figures:
    """The cost of an event while many sessions stream slowly at the same time."""
    seconds = 2 if quick else 5
    mode = f"paced-{PACE * (seconds + 20)}-{PACE}"
    async with opened(url, mode) as studio:
        sessions = [await started(studio, mode) for _ in range(STREAMS)]
        flowing = [asyncio.Event() for _ in sessions]
        followers = [
            asyncio.create_task(followed(session, event))
            for session, event in zip(sessions, flowing, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in flowing))
        figures = await window(studio, seconds)
        for follower in followers:
            follower.cancel()
    return figures


async def followed(session: Session, flowing: asyncio.Event) -> None:
    async for event in session.prompt(QUESTION):
        if isinstance(event.data, TextDelta):
            flowing.set()


async def window(studio: Studio, seconds: int) -> Figures:
    """What is spent while everything flows."""
    writer = studio.runtime.database.writer
    commits, wall, begin = writer.commits, time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    spent, wall = time.process_time() - begin, time.perf_counter() - wall
    return {
        "durable.paced": spent / (STREAMS * PACE * wall) * 1e6,
        "durable.commits": (writer.commits - commits) / wall,
    }


if __name__ == "__main__":
    main(durable=durable, paced=paced)
