"""Reading a descriptor as fast as it gives, without ever holding the event loop or more than one chunk.

However many programs of one person print at once, one chunk is read in each round of the loop.

What takes the bytes in may wait for the disk, so it runs in threads of its own: were they shared with others that
wait for the same program to end, both could wait for ever.
"""

import asyncio
import fcntl
import os
import select
import struct
import termios
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from bottega.fairness import Turns, caller

CHUNK = 256 * 1024

T = TypeVar("T")
_WRITERS = ThreadPoolExecutor(4, "outputs")
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


class Drain(Generic[T]):
    """Reads to the end: each chunk is taken in a thread, and what came of it is shown here."""

    def __init__(
        self,
        fd: int,
        take: Callable[[bytes], T],
        show: Callable[[T], None],
        *,
        close: bool = False,
    ) -> None:
        """With `close`, the descriptor is closed at the end, whatever the end is."""
        self._fd = fd
        self._take = take
        self._show = show
        self._read = self._shown = 0
        self._close = close
        whose = caller()
        self._whose = whose.person if whose else None
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(self._finish)
        """Done at the end; to be cancelled before that, where nobody wants the rest."""

    async def caught_up(self) -> None:
        """Until all that has been printed up to now is shown; what comes later may come on and on."""
        if not self.task.done():
            wanted = self._read + _waiting(self._fd)
            while self._shown < wanted and not self.task.done():
                self._news.clear()
                await self._news.wait()

    async def ended(self, seconds: float) -> bool:
        """Take in what is there, and wait a while for the end; False: somebody still holds the other side."""
        await self.caught_up()
        await asyncio.wait({self.task}, timeout=seconds)
        if not self.task.done() and _hung_up(self._fd):  # this loop was slow, not the other side
            await asyncio.wait({self.task})
        return self.task.done()

    async def _run(self) -> None:
        os.set_blocking(self._fd, False)
        turns = _TURNS.setdefault(asyncio.get_running_loop(), Turns())
        ended = False
        while not ended:
            await turns.next(self._whose)
            chunk, ended = _read(self._fd)
            self._read += len(chunk)
            if chunk:
                self._show(await in_thread(partial(self._take, chunk)))
                self._shown += len(chunk)
                self._news.set()
            elif not ended:
                await _readable(self._fd)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._news.set()
        if self._close:
            os.close(self._fd)


def _hung_up(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def _waiting(fd: int) -> int:
    """Bytes that are there to be read."""
    return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0]


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
