"""How often others have their turn on an event loop beside something that could fill it."""

import asyncio
from contextlib import suppress
from typing import Any

SECONDS = 0.6


async def turns_beside(reading: asyncio.Task[Any]) -> int:
    """How often somebody else has a turn while that goes on, who would like it two hundred times a second."""
    turns = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while True:
                await asyncio.sleep(0.005)
                turns += 1
    reading.cancel()
    await asyncio.wait({reading})
    return turns


async def longest_wait_beside(working: asyncio.Task[Any]) -> float:
    """The longest time for which nobody else had a turn until that was done, or in three seconds of it."""
    loop = asyncio.get_running_loop()
    longest, last, end = 0.0, loop.time(), loop.time() + 3
    while not working.done() and last < end:
        await asyncio.sleep(0.005)
        longest, last = max(longest, loop.time() - last), loop.time()
    working.cancel()
    await asyncio.wait({working})
    return longest
