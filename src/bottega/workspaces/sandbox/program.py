"""A program that runs in a sandbox, as its owner outside sees it: descriptors, an end, and a way to end it.

Its keeper speaks on a channel of its own. The channel's end means that nothing of the program is left.
"""

import asyncio
import errno
import fcntl
import os
import signal
import socket
import struct
import termios
from collections.abc import Awaitable, Callable

from bottega.errors import NotFound, Problem
from bottega.workspaces.sandbox.channel import Channel, Message, hand
from bottega.workspaces.sandbox.sandbox import Launch, Size

ANSWER = 30.0
"""Seconds until a keeper has started its program; a program of its sandbox may have stopped it."""
PATIENCE = 1.0
"""Seconds that a program may resist being ended; then its whole sandbox ends."""


class Program:
    """Implements `Running`."""

    def __init__(
        self,
        launch: Launch,
        keeper: socket.socket,
        give_back: Callable[[socket.socket], None],
        end_all: Callable[[], Awaitable[None]],
    ) -> None:
        """`keeper` is where its keeper gets its orders; it is given back once nothing of the program is left."""
        loop = asyncio.get_running_loop()
        self.stdin = self.stdout = self.stderr = -1
        self._launch = launch
        self._keeper = keeper
        self._give_back = give_back
        self._end_all = end_all
        self._started: asyncio.Future[Message] = loop.create_future()
        self._exit: asyncio.Future[int] = loop.create_future()
        self._gone = asyncio.Event()
        ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel = Channel(ours, self._heard, self._ended)

    async def begin(self, message: Message) -> None:
        """Have it started. Raises a `Problem` where it cannot be, OSError where its keeper was gone before."""
        fds = self._descriptors()
        try:
            hand(self._keeper, message, fds)
        finally:
            for fd in fds:
                os.close(fd)
        try:
            async with asyncio.timeout(ANSWER):
                said = await asyncio.shield(self._started)
        except TimeoutError:
            await self._end_all()
            raise Problem("The program's keeper does not answer.", hint=_UNKNOWN) from None
        except ConnectionError:
            if _never_read(self._keeper):
                raise
            raise Problem("The program's keeper was killed.", hint=_UNKNOWN) from None
        if "failed" in said:
            raise self._refusal(said)

    def _descriptors(self) -> tuple[int, ...]:
        """What the keeper gets: its end of the channel, and the program's ends of the pipes."""
        given = [self._theirs.detach()]
        if self._launch.terminal is None:
            if self._launch.feed:
                theirs, self.stdin = os.pipe()
                given.append(theirs)
            self.stdout, theirs = os.pipe()
            given.append(theirs)
            self.stderr, theirs = os.pipe()
            given.append(theirs)
        return tuple(given)

    def discard(self) -> None:
        """Forget a program that never ran, or that nobody waits for: its keeper is told to end it."""
        self._channel.say({"kill": True})
        self._channel.close()
        self._theirs.close()
        self._keeper.close()
        for fd in {self.stdin, self.stdout, self.stderr} - {-1}:
            os.close(fd)
        self.stdin = self.stdout = self.stderr = -1

    async def wait(self) -> int:
        return await asyncio.shield(self._exit)

    async def kill(self) -> None:
        self._channel.say({"kill": True})
        try:
            async with asyncio.timeout(PATIENCE):
                await self._gone.wait()
        except TimeoutError:
            await self._end_all()

    def resize(self, size: Size) -> None:
        if self._launch.terminal is not None and self.stdout >= 0:
            packed = struct.pack("HHHH", size.rows, size.columns, 0, 0)
            fcntl.ioctl(self.stdout, termios.TIOCSWINSZ, packed)

    def _heard(self, message: Message, fds: list[int]) -> None:
        if fds and self._launch.terminal is not None and self.stdout < 0:
            self.stdin = self.stdout = self.stderr = fds.pop(0)
        for fd in fds:
            os.close(fd)
        if not self._started.done():
            self._started.set_result(message)
        exit_code = message.get("exit")
        if isinstance(exit_code, int) and not self._exit.done():
            self._exit.set_result(exit_code)

    def _ended(self) -> None:
        if not self._started.done():
            self._started.set_exception(ConnectionError(errno.EPIPE, "its keeper is gone"))
        if not self._exit.done():
            self._exit.set_result(-signal.SIGKILL)
        self._gone.set()
        if not self._started.cancelled() and self._started.exception() is None:
            self._give_back(self._keeper)

    def _refusal(self, message: Message) -> Problem:
        code = message["failed"]
        why = os.strerror(code) if isinstance(code, int) else "for an unknown reason"
        if message.get("about") == "folder":
            name = self._launch.folder
            return NotFound(
                f"No program can be started in the folder {name!r}: {why}.", hint=_THERE
            )
        name = self._launch.argv[0]
        if code == errno.EAGAIN:
            return Problem(f"The program {name!r} could not be started: {why}.", hint=FULL)
        if code == errno.ENOENT:
            return NotFound(f"There is no program {name!r} in the sandbox.", hint=_HERE)
        return Problem(f"The program {name!r} could not be started: {why}.", hint=_HERE)


def _never_read(keeper: socket.socket) -> bool:
    """The kernel tells a reset where a process ended with something unread."""
    try:
        keeper.recv(1, socket.MSG_DONTWAIT)
    except ConnectionResetError:
        return True
    except OSError:
        return False
    return False


_UNKNOWN = "Look whether the program has done anything before you start it again."
FULL = "The sandbox has as many processes as it may have: wait until some have ended, or end them."
_HERE = "The sandbox has the programs of /usr and what lies in the workspace."
_THERE = "Name a folder of the workspace."
