"""Several calls of one message: those that cannot get in each other's way run at the same time.

A call waits for every earlier one that it conflicts with, and for no other; results keep the model's order. With a
limit of 1 everything runs one after the other (A29).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from bottega.approvals.touch import NOTHING, Touch
from bottega.tools.tool import Effect

C = TypeVar("C")
R = TypeVar("R")

LIMIT = 8
"""How many calls run at once, unless an agent says otherwise."""
_ALL = (".",)


class Claim(msgspec.Struct, frozen=True):
    """What a call needs for itself, or shares with those that only look."""

    effects: frozenset[Effect] = frozenset()
    touch: Touch = NOTHING

    @property
    def reads(self) -> tuple[str, ...]:
        """Where it looks; a call that reads and does not say where may look anywhere."""
        if self.touch.reads or "read" not in self.effects:
            return self.touch.reads
        return _ALL

    @property
    def writes(self) -> tuple[str, ...]:
        """What it changes: a command may change anything."""
        if "execute" in self.effects or ("write" in self.effects and not self.touch.writes):
            return _ALL
        return self.touch.writes


def conflict(one: Claim, other: Claim) -> bool:
    """Whether the order of the two can be told from their results."""
    if one.touch.shell and one.touch.shell == other.touch.shell:
        return True
    if "state" in one.effects and "state" in other.effects:
        return True
    return (
        overlap(one.writes, other.writes)
        or overlap(one.writes, other.reads)
        or overlap(one.reads, other.writes)
    )


def overlap(some: Iterable[str], others: Sequence[str]) -> bool:
    """Whether a path of one is, or lies beneath, a path of the other."""
    return any(_beneath(one, other) or _beneath(other, one) for one in some for other in others)


def _beneath(path: str, folder: str) -> bool:
    return folder in (".", path) or path.startswith(folder + "/")


async def run_all(
    calls: Sequence[tuple[C, Claim]],
    runner: Callable[[C], Awaitable[R]],
    limit: int = LIMIT,
) -> list[R]:
    """Run every call, at most `limit` at once; return the results in order.

    The first exception ends the other calls and is raised as it is.
    """
    if len(calls) == 1:
        return [await runner(calls[0][0])]
    free = asyncio.Semaphore(limit)
    started: list[asyncio.Task[R]] = []

    async def one(each: C, earlier: list[asyncio.Task[R]]) -> R:
        if earlier:
            await asyncio.wait(earlier)
        async with free:
            return await runner(each)

    try:
        async with asyncio.TaskGroup() as tasks:
            for place, (each, claim) in enumerate(calls):
                earlier = [
                    task
                    for task, (_, before) in zip(started, calls[:place], strict=True)
                    if limit == 1 or conflict(before, claim)
                ]
                started.append(tasks.create_task(one(each, earlier)))
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in started]
