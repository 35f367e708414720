"""Gives memory back to the system after a rush: what the allocator keeps of it would look like a leak."""

import asyncio
import ctypes
import sys
from collections.abc import Callable

_ARENA_MAX = -8
"""The library's name for how many heaps threads may have; each keeps what was once used in it."""
_ARENAS = 2

EVERY = 5.0
"""Seconds between two times that it is given back."""


async def give_back() -> None:
    """Until cancelled. Where the system's library cannot do it, nothing is done."""
    trim = _trim()
    while trim:
        await asyncio.sleep(EVERY)
        await asyncio.to_thread(trim, 0)


def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_ARENA_MAX, _ARENAS)
    return getattr(library, "malloc_trim", None)
