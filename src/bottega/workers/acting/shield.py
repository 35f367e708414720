"""Work that goes on to its end, though the task that awaits it is cancelled meanwhile."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def whatever_comes(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end; a cancellation that comes meanwhile finds it already ending, and is not heard again."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    return task.result()


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` to its end; a cancellation that comes meanwhile is raised after it."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
        except Exception:
            break
    if cancelled:
        with suppress(Exception):
            task.result()
        raise asyncio.CancelledError
    return task.result()
