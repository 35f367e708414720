"""Reading a descriptor as fast as it gives, without ever holding the event loop or more than one chunk.

What takes the bytes in may wait for the disk, so it runs in threads of its own: were they shared with others that
wait for the same program to end, both could wait for ever.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

CHUNK = 256 * 1024

T = TypeVar("T")
_WRITERS = ThreadPoolExecutor(4, "outputs")


async def drain(fd: int, take: Callable[[bytes], T], show: Callable[[T], None]) -> None:
    """Read to the end: `take` each chunk in a thread, then `show` what it made of it here."""
    os.set_blocking(fd, False)
    ended = False
    while not ended:
        chunk, ended = _read(fd)
        if chunk:
            show(await in_thread(partial(take, chunk)))
        elif not ended:
            await _readable(fd)


def _read(fd: int) -> tuple[bytes, bool]:
    """All that is there, up to a chunk, and whether that was the end: a terminal gives it in small pieces."""
    pieces: list[bytes] = []
    size = 0
    while size < CHUNK:
        try:
            piece = os.read(fd, CHUNK - size)
        except BlockingIOError:
            return b"".join(pieces), False
        except OSError:  # a terminal whose programs are gone
            piece = b""
        if not piece:
            return b"".join(pieces), True
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces), False


async def in_thread(work: Callable[[], T]) -> T:
    """Run it in one of the writers' threads; a cancel waits for its end."""
    loop = asyncio.get_running_loop()
    return await unbroken(loop.run_in_executor(_WRITERS, work))


async def unbroken(work: Awaitable[T]) -> T:
    """Wait for its end, whoever cancels; a cancel is passed on afterwards."""
    task = asyncio.ensure_future(work)
    cancel: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as caught:
            cancel = None if task.cancelled() else caught
        except BaseException:  # it is the work's own, and told below
            break
    if cancel:
        raise cancel
    return task.result()


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(fd)


async def writable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_writer(fd, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_writer(fd)
