"""Severity: high (H4). A model answers with thousands of calls at once: a bounded number of them is carried out, the
others are refused, and the event loop goes on all the while.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from bottega.studio import Studio
from bottega.workers.acting.calls import MOST_CALLS
from tests.agents.test_types import call, of, say

CALLS = 1_500
STALL = 0.5


async def _longest_stall(ended: asyncio.Event) -> float:
    longest, last = 0.0, time.monotonic()
    while not ended.is_set():
        await asyncio.sleep(0.005)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    return longest


async def test_calls_beyond_the_bound_get_an_error_each_and_the_loop_goes_on(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    model = scripted([call("todo_read") for _ in range(CALLS)], [say("Done.")])
    ended = asyncio.Event()
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        watching = asyncio.create_task(_longest_stall(ended))
        end = await session.prompt("go")
        ended.set()
        stall = await watching
        results = of(await session.facts(), "tool_result")
    assert end.success
    assert len(results) == CALLS
    assert [each.is_error for each in results] == [False] * MOST_CALLS + [True] * (
        CALLS - MOST_CALLS
    )
    assert stall < STALL
