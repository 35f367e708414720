"""The open shells of one studio. A shell belongs to a person and a folder: every session of theirs that works there may
use it by its id. To others who work in the same folder it does not exist.

It lives until it is closed, its program ends, nothing has been heard of it for a while, or it is too old.
"""

import asyncio
import shlex
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import msgspec

from bottega.errors import NotFound, Problem, Refused
from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.drain import unbroken
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.sandbox import Launch, Sandboxes, Size
from bottega.workspaces.shells.attention import STEADY, Pace
from bottega.workspaces.shells.reply import Reply
from bottega.workspaces.shells.shell import Shell

BUFFER = 10 * 1024 * 1024
"""Bytes that are kept of what a shell printed: give the `Outputs` of shells this tail, and no head."""
_REMEMBERED = 200
_STARTING = 10.0
_QUIET = ("--norc", "--noprofile", "--noediting", "-i")
_BEST = f"command -v bash >/dev/null 2>&1 && exec bash {' '.join(_QUIET)}; exec sh -i"
_OPTIONS: dict[str, tuple[str, ...]] = {"bash": _QUIET, "sh": ("-i",), "dash": ("-i",)}
_LONGEST_PATH = 4096
_SETTLED = (
    'if [ -n "$BASH_VERSION" ]; then set +o history +o histexpand; fi; unset HISTFILE MAILCHECK; :'
)
_ENVIRONMENT = {"TERM": "xterm-256color", "PAGER": "cat", "GIT_PAGER": "cat"}


class Limits(msgspec.Struct, frozen=True):
    idle: float = 30 * 60
    """Seconds without a call or any output."""
    age: float = 8 * 60 * 60
    most: int = 100
    """Of one person, open at once in one folder."""


USUAL = Limits()
_SIZE = Size()


class NotStarted(Problem):
    """The program did not start as it should."""

    code = "not_started"


class Opened(msgspec.Struct, frozen=True, eq=False):
    """A shell with what belongs to it."""

    shell: Shell
    folder: str
    owner: str
    """The session that opened it."""
    person: int
    command: str
    network: bool
    since: float
    greeting: Reply


class Shells:
    def __init__(
        self,
        sandboxes: Sandboxes,
        outputs: Outputs,
        *,
        limits: Limits = USUAL,
        pace: Pace = STEADY,
        clock: Callable[[], float] = time.monotonic,
        announces: bool = False,
    ) -> None:
        """`announces`: a person looks at them, and is told there what had to be undone in the folder."""
        self._sandboxes = sandboxes
        self._outputs = outputs
        self._limits = limits
        self._pace = pace
        self._clock = clock
        self._announces = announces
        self._open: dict[str, Opened] = {}
        self._used: dict[str, float] = {}
        self._opening: Counter[tuple[str, int]] = Counter()
        self._gone: dict[str, tuple[tuple[str, int], str]] = {}
        """Shells that are no more: their folder and person, and why."""
        self._tending: asyncio.Task[None] | None = None

    async def open(
        self,
        root: Root,
        owner: str,
        command: str = "",
        *,
        size: Size = _SIZE,
        network: bool = False,
        inside: str = ".",
        person: int = 1,
    ) -> Opened:
        """Start a shell, or the program that `command` names, in a sandbox of its own on that folder.

        It starts `inside`, a folder in that one. The caller may close the root.
        """
        place = root.path, person
        if len(self.list(*place)) + self._opening[place] >= self._limits.most:
            raise Refused(
                f"There are already {self._limits.most} open shells here.",
                hint="Close one with shell_close: it lists them when its id is unknown.",
            )
        self._opening[place] += 1
        try:
            opened = await self._start(root, owner, command, size, network, inside, person)
        finally:
            self._opening[place] -= 1
        self._open[opened.shell.id] = opened
        self._used[opened.shell.id] = self._clock()
        if self._tending is None or self._tending.done():
            self._tending = asyncio.create_task(self._tend())
        return opened

    def list(self, folder: str, person: int) -> "list[Opened]":
        """The open ones that this person has in that folder, oldest first."""
        return [each for each in self.every() if _place(each) == (folder, person)]

    def every(self) -> "list[Opened]":
        """The open ones of all folders, oldest first."""
        for shell_id, opened in list(self._open.items()):
            if opened.shell.ended:
                code = opened.shell.exit_code
                self._forget(shell_id, f"Its program ended with exit code {code}.")
        return list(self._open.values())

    def get(self, folder: str, person: int, shell_id: str) -> Opened:
        """The open shell of that id; raises `NotFound` with why it is gone, or with those that there are."""
        there = {each.shell.id: each for each in self.list(folder, person)}
        if shell_id in there:
            return there[shell_id]
        was, why = self._gone.get(shell_id, (None, ""))
        message = f"There is no open shell {shell_id!r}."
        if was == (folder, person):
            message = f"The shell {shell_id!r} is closed. {why}"
        names = ", ".join(f"{each.shell.id} ({each.command})" for each in there.values())
        raise NotFound(message, hint=f"Open: {names or 'none'}. shell_open opens another.")

    async def close(self, folder: str, person: int, shell_id: str) -> tuple[str, ...] | None:
        """Close it; what had to be undone in its folder, or None: it was closed before.

        Raises `NotFound` for an id that never was one.
        """
        try:
            opened = self.get(folder, person, shell_id)
        except NotFound:
            if self._gone.get(shell_id, (None,))[0] == (folder, person):
                return None
            raise
        await self._end(opened, "It was closed by shell_close.")
        return await opened.shell.undone()

    async def sweep(self) -> None:
        """Close those whose time is up."""
        now = self._clock()
        for shell_id, opened in list(self._open.items()):
            if now - self._used[shell_id] >= self._limits.idle:
                await self._end(opened, f"Nothing was heard of it for {_told(self._limits.idle)}.")
            elif now - opened.since >= self._limits.age:
                await self._end(opened, f"It had been open for {_told(self._limits.age)}.")

    async def close_all(self) -> None:
        if self._tending:
            self._tending.cancel()
        ends = [self._end(each, "The studio ended.") for each in list(self._open.values())]
        await unbroken(asyncio.gather(*ends))

    async def _start(  # noqa: PLR0913 - each is a word of its own
        self,
        root: Root,
        owner: str,
        command: str,
        size: Size,
        network: bool,
        inside: str,
        person: int,
    ) -> Opened:
        argv, speaks = _program(command)
        launch = Launch(argv, inside, environment=_ENVIRONMENT, terminal=size)
        sandbox = await self._sandboxes.open(root, network=network, person=person)
        try:
            running = await sandbox.start(launch)
        except BaseException:
            await unbroken(sandbox.close())
            raise
        output = self._outputs.create("sh")
        used = self._used
        shell = Shell(
            running,
            sandbox,
            output,
            speaks=speaks,
            pace=self._pace,
            on_use=lambda: used.update({output.id: self._clock()}),
            announces=self._announces,
        )
        try:
            greeting = await _greeting(shell)
        except BaseException:
            await shell.close()
            used.pop(output.id, None)
            raise
        since = self._clock()
        return Opened(shell, root.path, owner, person, command or "bash", network, since, greeting)

    async def _end(self, opened: Opened, why: str) -> None:
        self._forget(opened.shell.id, why)
        await opened.shell.close()

    def _forget(self, shell_id: str, why: str) -> None:
        if opened := self._open.pop(shell_id, None):
            self._used.pop(shell_id, None)
            self._gone[shell_id] = (_place(opened), why)
            while len(self._gone) > _REMEMBERED:
                del self._gone[next(iter(self._gone))]

    async def _tend(self) -> None:
        while self._open:
            now = self._clock()
            due = min(
                min(self._used[name] + self._limits.idle, each.since + self._limits.age)
                for name, each in self._open.items()
            )
            await asyncio.sleep(min(max(due - now, 0.01), 60))
            await self.sweep()


def _place(opened: Opened) -> tuple[str, int]:
    return opened.folder, opened.person


async def _greeting(shell: Shell) -> Reply:
    """What it says at first; raises where it does not stay, or is no shell though it should be one."""
    greeting = await (shell.run(_SETTLED, _STARTING) if shell.speaks else shell.send("", _STARTING))
    if greeting.ended or (shell.speaks and greeting.running):
        said = greeting.output.ends(2_000)
        raise NotStarted(
            f"The program did not stay open (exit code {greeting.exit_code})."
            if greeting.ended
            else "The program does not answer as a shell does.",
            hint=f"It said: {said.head}{said.tail}".strip(),
        )
    return greeting


def _program(command: str) -> "tuple[tuple[str, ...], bool]":
    """What to start, and whether it is a POSIX shell."""
    if not command:
        return ("/bin/sh", "-c", _BEST), True
    with suppress(ValueError):
        match shlex.split(command) if len(command) <= _LONGEST_PATH else []:
            case [name]:
                options = _OPTIONS.get(name.rpartition("/")[2])
                if options:
                    return (name, *options), True
            case _:
                pass
    return ("/bin/sh", "-c", command), False


def _told(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds / 3600:g} hours"
    return f"{seconds / 60:g} minutes" if seconds >= 120 else f"{seconds:g} seconds"
