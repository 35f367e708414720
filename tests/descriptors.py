"""What this process has open: counted, and waited for where something is about to be closed."""

import asyncio
import os
from contextlib import suppress

FOLDER = "/proc/self/fd"


def descriptors() -> int:
    return len(os.listdir(FOLDER))


async def given_back(before: int) -> None:
    """Return once no more are open than before: a thread, or the loop's next turn, may be about to close some."""
    try:
        async with asyncio.timeout(30):
            while descriptors() > before:  # noqa: ASYNC110
                await asyncio.sleep(0)
    except TimeoutError:
        raise AssertionError(f"more than {before} are open: {names()}") from None


def names() -> list[str]:
    """What each of them is, as the system says it."""
    found: list[str] = []
    for each in os.listdir(FOLDER):
        with suppress(FileNotFoundError):  # that of the listing itself, or one just closed
            found.append(os.readlink(f"{FOLDER}/{each}"))
    return found
