"""The owner's side of one warden: started, spoken to every second, and waited for until nothing of it is left.

What the warden does is in `inside`, which runs in the sandbox.
"""

import asyncio
import errno
import os
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from bottega.errors import Problem
from bottega.workspaces.git.undoing.threads import in_thread
from bottega.workspaces.sandbox.channel import Channel, Message
from bottega.workspaces.sandbox.recipe import Descriptor, Recipe
from bottega.workspaces.sandbox.walls.cgroup import Group

_READY = 30.0
"""Seconds until the warden answers, on the busiest machine."""
_TRIES = 10
"""Times that a sandbox is begun where something in its workspace is replaced meanwhile."""
IDLE = 4
"""Keepers that wait for another program."""
_LEAVES = 2.0
"""Seconds until it has ended by itself, once it is alone; then it is killed."""
_LAST = 20.0
"""Seconds until the kernel has ended everything."""

NICE = 5
"""How far programs in sandboxes step back behind the server, which serves others meanwhile."""


class Swapped(Problem):
    """A folder or file that was to be mounted is another one in the sandbox."""

    code = "swapped"

    def __init__(self) -> None:
        super().__init__(
            "The sandbox was not opened: while it was, another file or folder, or a link, came to stand in the place of"
            " the workspace or of something in it that is shielded.",
            hint="Put it back, and try again while nothing else changes it.",
        )


class Warden:
    """Ends when told to, when its owner ends or is silent, or by itself."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._keepers: asyncio.Queue[socket.socket | int] = asyncio.Queue()
        self._idle: list[socket.socket] = []
        self._port: asyncio.Future[tuple[int, socket.socket]] = self._loop.create_future()
        self._watched: dict[int, asyncio.Event] = {}
        self.alive = True
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        status, says = os.pipe()
        self._errors = os.memfd_create("errors")
        try:
            self._process = self._started(theirs.fileno(), says)
        except BaseException:
            ours.close()
            os.close(status)
            os.close(self._errors)
            raise
        finally:
            theirs.close()
            os.close(says)
        self._status = status
        self._open = [status, self._errors]
        self._tells = Descriptor.STATUS in recipe.command
        self.channel = Channel(ours, self._heard, self._gone)
        self._watch(self._process.pid)
        self._beating: asyncio.Task[None] | None = None

    def _started(self, control: int, status: int) -> subprocess.Popen[bytes]:
        """Called by the loop's own thread: the kernel ends the sandbox with the thread that started it."""
        recipe = self._recipe
        numbers = {Descriptor.CONTROL: str(control), Descriptor.STATUS: str(status)}
        command = [numbers[p] if isinstance(p, Descriptor) else p for p in recipe.command]
        user, group = recipe.user or (None, None)
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=(control, status, *recipe.keep),
            env={},
            cwd="/",
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            start_new_session=True,
        )

    async def first(self) -> int:
        """The first process inside, where the command tells of it; else the command itself."""
        if not self._tells:
            return self._process.pid
        said = b""
        readable = asyncio.Event()
        self._loop.add_reader(self._status, readable.set)
        try:
            async with asyncio.timeout(_READY):
                while b"}" not in said:
                    await readable.wait()
                    readable.clear()
                    piece = os.read(self._status, 4096)
                    if not piece:
                        break
                    said += piece
        finally:
            self._loop.remove_reader(self._status)
        found = msgspec.json.decode(said, type=dict[str, int]) if said else {}
        pid = found.get("child-pid", self._process.pid)
        with suppress(ProcessLookupError):
            self._watch(pid)
        return pid

    async def ready(self) -> None:
        """Tell it what it needs to know; raises a `Problem` where it does not answer."""
        with suppress(OSError):
            self.channel.send(self._recipe.setting, self._recipe.given)
        self.channel.say({"keeper": True})
        self._beating = asyncio.create_task(self._beat())
        try:
            async with asyncio.timeout(_READY):
                await self._ready
        except (TimeoutError, ConnectionError):
            # A file that was to be mounted may have been undone meanwhile by the guard of another sandbox.
            problem = self._failure() if self._recipe.holds() else Swapped()
            await self.end()
            raise problem from None
        except Swapped:
            await self.end()
            raise

    async def keeper(self) -> socket.socket:
        """Where one that waits for a program gets its orders; raises OSError where there is none."""
        if self._idle:
            return self._idle.pop()
        got = await self._keepers.get()
        self.channel.say({"keeper": True})
        if isinstance(got, int):
            raise OSError(got, os.strerror(got))
        return got

    def give_back(self, keeper: socket.socket) -> None:
        """It waits for another program, or goes where there are enough."""
        if self.alive and len(self._idle) < IDLE:
            self._idle.append(keeper)
        else:
            keeper.close()

    async def listen(self) -> tuple[int, socket.socket]:
        self.channel.send({"listen": True})
        async with asyncio.timeout(_READY):
            return await self._port

    async def end(self) -> None:
        """End everything inside; returns once nothing is left."""
        self._gone()
        if self._beating is not None:
            self._beating.cancel()
        self.channel.close()
        try:
            async with asyncio.timeout(_LEAVES):
                await self._all_ended()
        except TimeoutError:
            self._process.kill()
            await self._insist()
        while self._open:
            os.close(self._open.pop())
        while not self._keepers.empty():
            left = self._keepers.get_nowait()
            if isinstance(left, socket.socket):
                left.close()
        while self._idle:
            self._idle.pop().close()

    async def _insist(self) -> None:
        try:
            async with asyncio.timeout(_LAST):
                await self._all_ended()
        except TimeoutError:
            raise Problem(
                "Something in a sandbox cannot be ended: the kernel holds it.",
                hint="Look for processes in state D with `ps`.",
            ) from None

    async def _all_ended(self) -> None:
        for event in list(self._watched.values()):
            await event.wait()

    def _watch(self, pid: int) -> None:
        if pid in self._watched:
            return
        fd = os.pidfd_open(pid)
        ended = self._watched[pid] = asyncio.Event()

        def note() -> None:
            self._loop.remove_reader(fd)
            os.close(fd)
            if pid == self._process.pid:
                self._process.wait()
            ended.set()

        self._loop.add_reader(fd, note)

    def _heard(self, message: Message, fds: Sequence[int]) -> None:
        port = message.get("port")
        if isinstance(port, int) and len(fds) == 1 and not self._port.done():
            self._port.set_result((port, socket.socket(fileno=fds[0])))
            return
        keeper = message.get("keeper")
        if isinstance(keeper, int):
            self._keepers.put_nowait(socket.socket(fileno=fds[0]) if len(fds) == 1 else keeper)
            return
        for fd in fds:
            os.close(fd)
        if "ready" in message and not self._ready.done():
            expected = [list(each) for each in self._recipe.expected.values()]
            if message.get("found", []) == expected and not message.get("strange"):
                self._ready.set_result(None)
            else:
                self._ready.set_exception(Swapped())

    def _gone(self) -> None:
        self.alive = False
        self._keepers.put_nowait(errno.EPIPE)
        for future in (self._ready, self._port):
            if not future.done():
                future.set_exception(ConnectionError("the warden has ended"))
                future.exception()  # nobody may be waiting for it

    def _failure(self) -> Problem:
        said = os.pread(self._errors, 4000, 0).decode("utf-8", "replace").strip()
        last = said.splitlines()[-1] if said else "it did not answer"
        return Problem(
            f"The sandbox could not be opened: {last}.",
            hint="`bottega doctor` says what is missing.",
        )

    async def _beat(self) -> None:
        while self.check():
            self.channel.say({})
            await asyncio.sleep(self._recipe.beat)

    def check(self) -> bool:
        """Whether programs may still be started; ends everything where a shield was lost."""
        if self.alive and not self._recipe.holds():
            self.channel.close()
            self._gone()
        return self.alive


async def begun(
    make: Callable[[list[int]], Recipe], group: Group | None, folder: str = ""
) -> Warden:
    """Start a warden and wait until it is ready. `make` may block; it is given a list for descriptors to close.

    It looks at that workspace, and may take as long as a guard of it.
    """
    for _ in range(_TRIES - 1):
        with suppress(Swapped):  # by somebody who had the right to, it may be
            return await _begun(make, group, folder)
    return await _begun(make, group, folder)


async def _begun(make: Callable[[list[int]], Recipe], group: Group | None, folder: str) -> Warden:
    held: list[int] = []
    try:
        recipe = await in_thread(folder, make, held)
        return await _ready(Warden(recipe), group)
    finally:
        for fd in held:
            os.close(fd)


async def _ready(warden: Warden, group: Group | None) -> Warden:
    try:
        first = await warden.first()
        with suppress(OSError):  # all that is started inside inherits it
            os.setpriority(os.PRIO_PROCESS, first, NICE)
        if group is not None:
            with suppress(ProcessLookupError):
                group.add(first)
        await warden.ready()
    except BaseException:
        await asyncio.shield(warden.end())
        raise
    return warden
