"""An open sandbox of any kind, as its owner sees it: a warden inside that hears from the owner every second.

The beat comes from the owner's event loop: an owner that is stopped or stuck is silent, and the warden ends
everything. If what is inside ends by itself (a program that resisted took it along), the next start opens it anew.
"""

import asyncio
import errno
import logging
import os
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import AsyncExitStack, contextmanager, nullcontext

from bottega.errors import BadUsage, Problem, Refused
from bottega.workspaces.git.guard import HINT, Guard
from bottega.workspaces.git.undoing.threads import in_thread
from bottega.workspaces.sandbox.channel import Message
from bottega.workspaces.sandbox.program import FULL, Program
from bottega.workspaces.sandbox.sandbox import Egress, Kind, Launch
from bottega.workspaces.sandbox.warden import Warden

_log = logging.getLogger(__name__)
Begin = Callable[[], Awaitable[Warden]]


@contextmanager
def told() -> Generator[None]:
    """What the system refuses while a sandbox is opened, as a problem."""
    try:
        yield
    except OSError as problem:
        about = f" ({problem.filename!r})" if problem.filename else ""
        raise Problem(
            f"The sandbox could not be opened: {problem.strerror}{about}.",
            hint="Look whether the folder is there, can be written, and has room.",
        ) from problem


class Opened:
    """Implements `Sandbox`. `stack` holds what is given back when it closes."""

    def __init__(
        self,
        kind: Kind,
        folder: str,
        environment: Mapping[str, str],
        begin: Begin,
        stack: AsyncExitStack,
        egress: Egress | None = None,
        guard: Guard | None = None,
    ) -> None:
        self.kind: Kind = kind
        self._folder = folder
        self._environment = environment
        self._begin = begin
        self._stack = stack
        self._egress = egress
        self._guard = guard
        self._waiting = 0
        """How many wait for what runs in it."""
        self._minding: asyncio.Task[None] | None = None
        self._warden: Warden | None = None
        self._closing = False
        self._one = asyncio.Lock()
        self._stop_serving: Callable[[], Awaitable[None]] | None = None
        self._proxy: dict[str, str] = {}

    async def start(self, launch: Launch) -> Program:
        _check(launch)
        await self._refuse_unfinished()
        for _ in range(_TRIES):
            warden = await self.living()
            try:
                keeper = await warden.keeper()
            except OSError as problem:
                if problem.errno == errno.EAGAIN:
                    raise Problem(
                        f"No program can be started: {problem.strerror}.", hint=FULL
                    ) from None
                continue  # everything has just ended
            program = Program(launch, keeper, warden.give_back, warden.end)
            try:
                await program.begin(self._message(launch))
                return program
            except OSError:
                program.discard()  # somebody has killed this keeper; there are others
            except BaseException:
                program.discard()
                raise
        raise Problem("The sandbox ends again and again.", hint="Try again.")

    async def _refuse_unfinished(self) -> None:
        """No command where what the last one planted may not have been found."""
        if self._guard is None or not self._guard.unfinished:
            return
        await in_thread(self._folder, self._guard.check)
        if self._guard.unfinished:
            raise Refused(self._guard.unfinished, hint=HINT)

    async def living(self) -> Warden:
        """The warden; a new one where the last has ended."""
        async with self._one:
            if self._closing:
                raise Problem("The sandbox is closed.", hint="Open another one.")
            if self._warden is None or not self._warden.check():
                await self._leave()
                with told():
                    self._warden = await self._begin()
                if self._egress is not None:
                    await self._serve(self._warden, self._egress)
                if self._guard is not None and self._minding is None:
                    self._minding = asyncio.create_task(self._mind(self._guard))
            return self._warden

    async def close(self) -> None:
        self._closing = True
        async with self._one:
            try:
                if self._minding is not None:
                    self._minding.cancel()
                await self._leave()
            finally:
                await self._stack.aclose()

    @contextmanager
    def attended(self, *, by_person: bool = False) -> Generator[None]:
        self._waiting += 1
        try:
            with nullcontext() if by_person or not self._guard else self._guard.attendance.call():
                yield
        finally:
            self._waiting -= 1

    async def undone(self) -> tuple[str, ...]:
        if self._guard is None:
            return ()
        try:
            if not self._closing:
                await in_thread(self._folder, self._guard.check)
            return await asyncio.to_thread(self._guard.reports)
        except Exception as problem:  # the command has run: what it did is told all the same
            _log.warning("a folder could not be checked for planted repositories: %r", problem)
            self._guard.unfinished = (
                f"The folder could not be checked for planted repositories: {problem}"
            )
            return (self._guard.unfinished,)

    async def _mind(self, guard: Guard) -> None:
        """Look now and then while programs may run; the longer a look takes, the more seldom."""
        while True:
            pause = max(_PAUSE, _SHARE * guard.seconds)
            if guard.attendance.is_suspicious:
                pause = _SOON + guard.seconds
            await asyncio.sleep(pause)
            try:
                await in_thread(self._folder, guard.check_if_due, pause * 0.9)
                if guard.attendance.is_hopeless and not self._waiting:
                    await self._end_left_behind(guard)
            except Exception as problem:  # it looks again, whatever a program has put there
                _log.warning("a folder could not be checked for planted repositories: %r", problem)

    async def _end_left_behind(self, guard: Guard) -> None:
        """End what runs here with nobody waiting: one of all that do so plants again whatever is undone."""
        async with self._one:
            if self._warden is None:
                return
            await self._leave()
        await asyncio.to_thread(guard.tell, _LEFT_BEHIND)
        await in_thread(self._folder, guard.check)

    async def _leave(self) -> None:
        if self._stop_serving is not None:
            stop, self._stop_serving = self._stop_serving, None
            await stop()
        if self._warden is not None:
            warden, self._warden = self._warden, None
            await warden.end()

    async def _serve(self, warden: Warden, egress: Egress) -> None:
        """Answer, from outside, what programs send to a port inside."""
        port, listener = await warden.listen()
        self._stop_serving = await egress.serve(listener)
        url = f"http://127.0.0.1:{port}"
        names = ("http_proxy", "https_proxy", "all_proxy")
        self._proxy = {case(name): url for name in names for case in (str.lower, str.upper)}
        self._proxy |= {"no_proxy": "", "NO_PROXY": ""}

    def _message(self, launch: Launch) -> Message:
        terminal = launch.terminal
        return {
            "argv": list(launch.argv),
            "folder": os.path.join(self._folder, launch.folder),
            "environment": {**self._environment, **self._proxy, **launch.environment},
            "terminal": [terminal.rows, terminal.columns] if terminal else None,
            "feed": launch.feed,
        }


_PAUSE = 2.0
"""Seconds between two looks at what programs may have planted for git."""
_SOON = 0.5
"""The same, once something was planted with nobody waiting, besides the time for a look."""
_LEFT_BEHIND = (
    "Programs that were left running here were ended: what could run with the person's next git command was planted"
    " again and again while nobody waited for them."
)
_SHARE = 20
"""Looks take at most one part in so many of the time."""
_TRIES = 10
"""More than keepers wait at once: all of them may have been killed."""


def _check(launch: Launch) -> None:
    texts = [*launch.argv, launch.folder, *launch.environment, *launch.environment.values()]
    if not launch.argv or not launch.argv[0]:
        raise BadUsage("There is no program to start.", hint="Name one.")
    if any("\0" in text for text in texts):
        raise BadUsage("A command cannot hold a NUL character.", hint="Leave it out.")
    if any("=" in name or not name for name in launch.environment):
        raise BadUsage("The name of a variable is empty or holds '='.", hint="Choose another name.")
    if os.path.isabs(launch.folder) or ".." in launch.folder.split("/"):
        raise BadUsage(
            f"The folder {launch.folder!r} is not inside the workspace.",
            hint="Name it relative to the workspace.",
        )
