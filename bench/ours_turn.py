"""Turns through the library, durable: a prompt, one tool call, an answer of ten chunks; on sessions with a past."""

import asyncio
import time

from bottega.studio import Session
from stopwatch import HISTORIES, QUESTION, TOOL, Figures, extra, history, main
from workshop import opened, started, talk

MODE = f"turn-{TOOL}"
WARM = 5


async def turn(url: str, quick: bool) -> Figures:
    figures: Figures = {}
    async with opened(url, MODE) as studio:
        for count in (0, 1000) if quick else HISTORIES:
            turns = (50 if quick else 150) if count < 1000 else (8 if quick else 20)
            past = history(count)
            sessions = [await started(studio, MODE, talk(past)) for _ in range(turns + WARM)]
            await run(sessions[:WARM])
            begin = time.process_time()
            await run(sessions[WARM:])
            figures[f"turn.{count}"] = (time.process_time() - begin) / turns * 1e3
    return extra(figures)


async def run(sessions: list[Session]) -> None:
    """One turn in each, one after the other; what a turn leaves behind it belongs to its cost."""
    for session in sessions:
        end = await session.prompt(QUESTION)
        assert end.success, end
        assert end.iterations == 2, end
    await asyncio.sleep(0.1)


if __name__ == "__main__":
    main(turn=turn)
