"""How often others have their turn on an event loop beside something that could fill it."""

import asyncio
from contextlib import suppress

SECONDS = 0.6


async def turns_beside(reading: asyncio.Task[None]) -> int:
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
