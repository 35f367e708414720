"""Several calls of one message: what only reads runs at the same time, what changes runs alone.

Results keep the model's order. With a limit of 1 everything runs one after the other (A29).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

from bottega.tools.tool import Effect

C = TypeVar("C")
R = TypeVar("R")

ALONE: frozenset[Effect] = frozenset({"write", "execute", "state"})
"""Such a call waits for all before it, and all after it wait for it."""


async def run_all(
    calls: Sequence[tuple[C, frozenset[Effect]]],
    runner: Callable[[C], Awaitable[R]],
    limit: int = 3,
) -> list[R]:
    """Run every call, at most `limit` at once; return the results in order.

    The first exception ends the other calls and is raised as it is.
    """
    results: list[R] = []
    for group in _groups(calls):
        results += await _together(group, runner, limit)
    return results


def _groups(calls: Sequence[tuple[C, frozenset[Effect]]]) -> Iterator[list[C]]:
    together: list[C] = []
    for each, effects in calls:
        if not effects & ALONE:
            together.append(each)
            continue
        if together:
            yield together
            together = []
        yield [each]
    if together:
        yield together


async def _together(group: list[C], runner: Callable[[C], Awaitable[R]], limit: int) -> list[R]:
    if len(group) == 1:
        return [await runner(group[0])]
    free = asyncio.Semaphore(limit)

    async def one(each: C) -> R:
        async with free:
            return await runner(each)

    try:
        async with asyncio.TaskGroup() as tasks:
            started = [tasks.create_task(one(each)) for each in group]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in started]
