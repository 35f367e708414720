"""What every measured process shares: its CPU time (all threads, user and system), its memory, a line of JSON.

A program hands `main` its measures; each returns figures by name. The first run of anything only warms up.
"""

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

BURST = 2000
STREAMS = 100
PACE = 20
"""Chunks per second of each of the paced streams."""
LENGTHS = (500, 8000, 100_000)
HISTORIES = (0, 10, 100, 1000)
TOOL = "look_up"
QUESTION = "What is stored under alpha?"

Figures = dict[str, float]
Work = Callable[[], Awaitable[object]]
Measure = Callable[[str, bool], Coroutine[Any, Any, Figures] | Figures]


def main(**measures: Measure) -> None:
    """Run the measure that the command line names: `program MEASURE URL full|quick`."""
    name, url, size = sys.argv[1:4]
    result = measures[name](url, size == "quick")
    figures = asyncio.run(result) if asyncio.iscoroutine(result) else result
    print(json.dumps(figures), flush=True)


async def cpu_of(work: Work, seconds: float, least: int = 2) -> float:
    """Mean CPU seconds of one run of `work`, repeated for about that many seconds of wall time."""
    await work()
    runs, until, begin = 0, time.perf_counter() + seconds, time.process_time()
    while runs < least or time.perf_counter() < until:
        await work()
        runs += 1
    return (time.process_time() - begin) / runs


async def stream_figures(streamer: Callable[[str], Work], url: str, quick: bool) -> Figures:
    """CPU µs per chunk of one long burst; `streamer` makes what reads one answer and counts its chunks."""
    read = streamer(f"{url}/burst-{BURST}/v1")
    counted = await read()
    if counted != BURST:
        raise AssertionError(f"saw {counted} chunks of {BURST}")
    return {"stream.burst": await cpu_of(read, 0.3 if quick else 1.5) / BURST * 1e6}


async def turn_figures(turner: Callable[[str, list[Any]], Work], url: str, quick: bool) -> Figures:
    """CPU ms per turn with one tool call, by messages of history; `turner` makes what runs one turn."""
    figures: Figures = {"memory.idle": resident_kb() / 1024}
    for count in (0, 1000) if quick else HISTORIES:
        turn = turner(f"{url}/turn-{TOOL}/v1", history(count))
        said = await turn()
        if not str(said).strip().startswith("the log is what happened"):
            raise AssertionError(f"the turn ended with {said!r}")
        figures[f"turn.{count}"] = await cpu_of(turn, 0.3 if quick else 1.0) * 1e3
    return extra(figures)


def extra(figures: Figures) -> Figures:
    """Add what the history costs on top of the turn without any."""
    bare = figures["turn.0"]
    return figures | {
        f"history.{name.partition('.')[2]}": value - bare
        for name, value in figures.items()
        if name.startswith("turn.") and name != "turn.0"
    }


def history(count: int) -> list[dict[str, str]]:
    """That many messages of 500 characters, from user and assistant in turn."""
    roles = ("user", "assistant")
    return [
        {"role": roles[i % 2], "content": f"{i:04d} " + "words " * 82 + "end"} for i in range(count)
    ]


def value_of(key: str, count: int) -> str:
    """Look a value up."""
    return f"{key} is stored {count} times"


def resident_kb() -> float:
    """What this process holds in memory now, after a collection."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024
