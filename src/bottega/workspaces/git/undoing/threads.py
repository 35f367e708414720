"""Threads of the guards' own: looking at a huge folder may take a minute, and must not take a thread that others need.

One at a time for each folder: more could only wait for one another. And few at a time for each person: a look is plain
Python, and many at once would take the processor from everybody.
"""

import asyncio
import contextvars
from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from bottega.fairness import Threads

P = ParamSpec("P")
T = TypeVar("T")
_EACH = 2
"""Looks of one person at a time."""
_pool = Threads(64, _EACH, "git-guard")
_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Lock]] = (
    WeakKeyDictionary()
)


async def in_thread(folder: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call it in such a thread once no other call for the folder is under way.

    Whoever stops waiting leaves the call to go on, and the next one to wait for it.
    """
    loop = asyncio.get_running_loop()
    locks = _locks.setdefault(loop, WeakValueDictionary())
    lock = locks.get(folder)
    if lock is None:
        lock = locks[folder] = asyncio.Lock()
    await lock.acquire()
    try:
        context = contextvars.copy_context()
        running = loop.run_in_executor(_pool, lambda: context.run(function, *args, **kwargs))
    except BaseException:
        lock.release()
        raise
    running.add_done_callback(lambda _: lock.release())
    return await asyncio.shield(running)
