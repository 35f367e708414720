"""Gives memory back to the system after a rush: what the allocator keeps of it would look like a leak.

Objects that refer to each other are found by the collector alone, which looks at all of them only after a quarter as
many new ones came to stay. What the program is made of stays for ever, so it is left out: the rest is soon looked at.
"""

import asyncio
import ctypes
import gc
import sys
from collections.abc import Callable

_ARENA_MAX = -8
"""The library's name for how many heaps threads may have; each keeps what was once used in it."""
_ARENAS = 2

EVERY = 5.0
"""Seconds between two times that it is given back."""


async def give_back() -> None:
    """Until cancelled. Where the system's library cannot do it, only what nobody refers to is let go."""
    trim = _trim()
    gc.collect()
    gc.freeze()
    try:
        while True:
            await asyncio.sleep(EVERY)
            gc.collect()
            if trim:
                await asyncio.to_thread(trim, 0)
    finally:
        gc.unfreeze()


def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_ARENA_MAX, _ARENAS)
    return getattr(library, "malloc_trim", None)
