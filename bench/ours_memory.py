"""What an idle studio holds in memory, what each idle session adds, and each stream that is open."""

import asyncio

from bottega.events.facts import TextDelta
from bottega.studio import Session, Studio
from stopwatch import QUESTION, Figures, main, resident_kb
from workshop import opened, started

MODE = "burst-10"
STREAMS = 200


async def memory(url: str, quick: bool) -> Figures:
    sessions = 100 if quick else 500
    async with opened(url, MODE, "held") as studio:
        await one(studio)
        idle = resident_kb()
        kept = [await one(studio) for _ in range(50)]  # caches fill up to their bounds first
        before = resident_kb()
        kept += [await one(studio) for _ in range(sessions)]
        after = resident_kb()
        held = await streaming(studio)
        return {
            "memory.idle": idle / 1024,
            "memory.session": (after - before) / sessions,
            "memory.stream": (held - after) / STREAMS,
        }


async def one(studio: Studio) -> Session:
    """A session that has answered once."""
    session = await started(studio, MODE)
    await session.prompt(QUESTION)
    return session


async def streaming(studio: Studio) -> float:
    """What is held while many sessions stream."""
    flowing = [asyncio.Event() for _ in range(STREAMS)]
    sessions = [await started(studio, "held") for _ in flowing]

    async def follow(session: Session, seen: asyncio.Event) -> None:
        async for event in session.prompt(QUESTION):
            if isinstance(event.data, TextDelta):
                seen.set()

    pairs = zip(sessions, flowing, strict=True)
    tasks = [asyncio.create_task(follow(session, seen)) for session, seen in pairs]
    await asyncio.gather(*(seen.wait() for seen in flowing))
    held = resident_kb()
    for task in tasks:
        task.cancel()
    return held


if __name__ == "__main__":
    main(memory=memory)
