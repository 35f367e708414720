"""A program in a terminal that stays open: commands or input go in, and what came of them comes back.

A command of a shell is done when the shell says so, and not before (see `protocol`). A program that is no shell says
nothing of the kind: with it, and with a command that asks for something, the answer comes when the program waits for
input. Whoever asks is answered after their timeout at the latest; what runs goes on.
"""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial

from bottega.workspaces.outputs.drain import Drain, in_thread, unbroken
from bottega.workspaces.outputs.live import Live
from bottega.workspaces.outputs.outputs import Output
from bottega.workspaces.outputs.source import Source
from bottega.workspaces.outputs.stream import Stream
from bottega.workspaces.sandbox.sandbox import Running, Sandbox, Size
from bottega.workspaces.shells.attention import STEADY, Attention, Pace
from bottega.workspaces.shells.protocol import Mark, Marks, new_word, to_lines
from bottega.workspaces.shells.reply import Busy, Gone, NothingRuns, Reply
from bottega.workspaces.shells.terminal import Terminal

STREAM = "terminal"
_GRACE = 0.25
"""Seconds in which what is left in a terminal is read, once its program has ended."""
_LOOKS = 2.0
"""Seconds between two looks at whether there is anything to announce."""
_STOPPING = 1.0
"""Seconds that a command has to stop, once it was told to."""

Emit = Callable[[str], None]


def _nobody(text: str) -> None:
    """Is shown what comes."""


class Shell:
    """Calls wait for each other; what comes between two of them belongs to the next."""

    def __init__(
        self,
        running: Running,
        sandbox: Sandbox,
        output: Output,
        *,
        speaks: bool = True,
        pace: Pace = STEADY,
        on_use: Callable[[], None] = lambda: None,
        announces: bool = False,
    ) -> None:
        """`announces`: what had to be undone in its folder is printed there, for a person who looks at it."""
        self.id = output.id
        self.speaks = speaks
        """It is a POSIX shell, so that commands have an end and an exit code."""
        self.ended = False
        self.exit_code: int | None = None
        """The program's own, once it has ended."""
        self._running = running
        self._sandbox = sandbox
        self._output = output
        self._spool = output.spool(STREAM)
        self._on_use = on_use
        self._terminal = Terminal(running.stdin)
        self._attention = Attention(self._terminal, pace)
        self._marks = Marks()
        self._word = ""
        """Of the command that runs."""
        self._begun = False
        self._code: int | None = None
        self._stream = Stream(STREAM, None)
        self._turn = asyncio.Lock()
        self._pump = Drain(running.stdout, self._keep, self._notice)
        self._news = asyncio.Event()
        """Replaced by another each time that something comes: for any number who wait."""
        self._keepers = 0
        self._freed = False
        self._keeping = threading.Lock()
        self._announcing = asyncio.create_task(self._announce()) if announces else None
        self._looked_at = ExitStack()
        if announces:
            self._looked_at.enter_context(sandbox.attended(by_person=True))
        self._life = asyncio.create_task(self._run_to_end())

    @property
    def busy(self) -> bool:
        return self.speaks and bool(self._word) and not self.ended

    @property
    def size(self) -> int:
        """Bytes that it has printed so far: the cursor of whoever has seen all."""
        return self._spool.size

    def read(self, cursor: int) -> Iterator[tuple[int, bytes]]:
        """What it printed from there on, as far as it is kept; may wait for the disk."""
        return self.source.read(cursor)

    @property
    def source(self) -> Source:
        return Source(self._output.folder / STREAM)

    def resize(self, size: Size) -> None:
        if not self.ended:
            self._running.resize(size)

    async def more(self, than: int) -> None:
        """Wait until it has printed more bytes than that, or has ended."""
        while self.size <= than and not self.ended:
            await self._news.wait()

    @contextmanager
    def kept(self) -> Generator[None]:
        """What it printed can be read, even after its end, as long as this is held."""
        self._keepers += 1
        try:
            yield
        finally:
            self._keepers -= 1
            if self._freed and not self._keepers:
                asyncio.get_running_loop().run_in_executor(None, self._output.drop)

    async def type(self, text: str, seconds: float) -> None:
        """Type something, whoever's turn it is: a person at the same terminal."""
        if self.ended:
            raise Gone(f"The shell {self.id!r} has ended.", hint="Open another.")
        self._on_use()
        try:
            async with asyncio.timeout(seconds):
                await self._terminal.write(text)
        except TimeoutError:
            raise Busy(
                f"What runs in the shell {self.id!r} takes no input.", hint="Stop it, or wait."
            ) from None
        except OSError:
            raise Gone(f"The shell {self.id!r} has ended.", hint="Open another.") from None

    async def run(self, command: str, seconds: float, emit: Emit | None = None) -> Reply:
        """Run a command, or type a line where it is no shell. A cancel stops the command, or else the shell."""
        async with self._calling(seconds) as deadline:
            if self.busy:
                raise Busy(
                    f"A command still runs in the shell {self.id!r}.",
                    hint="Answer it (input), stop it (keys: ctrl-c), or wait for it (no command).",
                )
            if not self.speaks:
                return await self._type(command + self._terminal.enter, deadline, emit)
            self._word, self._begun, self._code = new_word(), False, None
            self._stream = Stream(STREAM, None)
            self._terminal.hush()
            try:
                return await self._type(to_lines(command, self._word), deadline, emit)
            except asyncio.CancelledError:
                await unbroken(self._stop())
                raise

    async def send(self, text: str, seconds: float, emit: Emit | None = None) -> Reply:
        """Type something for the program that runs; without text, wait for it."""
        async with self._calling(seconds) as deadline:
            if self.speaks and not self._word:
                raise NothingRuns(
                    f"Nothing runs in the shell {self.id!r}.", hint="Give it a command."
                )
            return await self._type(text, deadline, emit)

    @property
    def enter(self) -> str:
        """What ends a line that is typed."""
        return self._terminal.enter

    async def undone(self) -> tuple[str, ...]:
        """What had to be undone in its folder since the last call: see `Sandbox.undone`."""
        return await self._sandbox.undone()

    async def close(self) -> None:
        """End it and all that runs in it; returns once nothing is left. May be called again."""
        await unbroken(self._close())

    async def _close(self) -> None:
        if not self._life.done():
            await self._running.kill()
        await self._life

    @asynccontextmanager
    async def _calling(self, seconds: float) -> AsyncGenerator[float]:
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(deadline):
                await self._turn.acquire()
        except TimeoutError:
            raise Busy(f"Another call still uses the shell {self.id!r}.") from None
        try:
            if self.ended:
                raise Gone(f"The shell {self.id!r} has ended.", hint="shell_open opens another.")
            self._on_use()
            with self._sandbox.attended():
                yield deadline
        finally:
            self._turn.release()

    async def _type(self, text: str, deadline: float, emit: Emit | None) -> Reply:
        """Type it, and wait for what comes of it."""
        loop = asyncio.get_running_loop()
        began, waiting = loop.time(), False
        rest = f"More came than is shown here. read_output has it as {self.id!r}."
        self._stream.live = live = Live(emit or _nobody, rest)
        try:
            before = await self._attention.readers() if text else None
            with suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self._terminal.write(text)
                waiting = await self._attention.wait(deadline, before, self._done, self._may_ask)
            if self.ended:
                await unbroken(self._life)
            return self._reply(loop.time() - began, waiting=waiting)
        finally:
            live.finish()
            self._stream.live = None

    def _reply(self, seconds: float, *, waiting: bool) -> Reply:
        self._stream.finish()
        if self._stream.live:
            self._stream.live.finish()
        seen, self._stream = self._stream.glimpse, Stream(STREAM, None)
        code = self.exit_code if self.ended else self._code
        running = not self.ended and (not self.speaks or self._code is None)
        if not running:
            self._word = ""
        if self.speaks and not running and not self.ended:
            self._terminal.echo()
        return Reply(seen, code, running, waiting, self.ended, seconds)

    def _done(self) -> bool:
        return self.ended or self._code is not None

    def _may_ask(self, seen: bool) -> bool:
        """A shell reads its own input before a command has begun; and a pause alone is no question."""
        return not self.speaks or (self._begun and (seen or self._stream.unfinished))

    async def _stop(self) -> None:
        """Stop the command; where that fails, end the shell, so that nothing goes on that was cancelled."""
        group = self._terminal.foreground()
        try:
            if group > 0:
                os.killpg(group, signal.SIGINT)
        except OSError:
            group = 0
        deadline = asyncio.get_running_loop().time() + _STOPPING
        with suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                if group <= 0:
                    await self._terminal.write("\x03")
                while not self._done():
                    self._attention.news.clear()
                    await self._attention.news.wait()
        if self._done():
            self._reply(0, waiting=False)
        else:
            await self._close()

    def _keep(self, chunk: bytes) -> bytes:
        with self._keeping:
            self._spool.write(chunk)
        return chunk

    async def _announce(self) -> None:
        while True:
            await asyncio.sleep(_LOOKS)
            await self._say(await self.undone())

    async def _say(self, undone: tuple[str, ...]) -> None:
        for each in undone:
            chunk = f"\r\n[bottega] {each}\r\n".encode()
            self._notice(await in_thread(partial(self._keep, chunk)))

    def _notice(self, chunk: bytes) -> None:
        self._on_use()
        for each in self._marks.feed(chunk):
            if isinstance(each, Mark):
                self._mark(each)
            elif not self.speaks or (self._begun and self._code is None):
                self._stream.show(self._stream.take(each))
        self._attention.news.set()
        self._tell()

    def _tell(self) -> None:
        told, self._news = self._news, asyncio.Event()
        told.set()

    def _mark(self, mark: Mark) -> None:
        if mark.word != self._word or self._code is not None:
            return
        if mark.exit_code is None:
            self._begun = True
        elif self._begun:
            self._code = mark.exit_code

    async def _run_to_end(self) -> None:
        try:
            self.exit_code = await self._running.wait()
            await self._pump.ended(_GRACE)
        finally:
            self.ended = True
            self._pump.task.cancel()
            await asyncio.wait({self._pump.task})
            self._attention.news.set()
            self._tell()
            await self._free()

    async def _free(self) -> None:
        try:
            await self._running.kill()
            await self._sandbox.close()
            if self._announcing is not None:
                self._announcing.cancel()
                await self._say(await self.undone())
        finally:
            self._looked_at.close()
            for fd in {self._running.stdin, self._running.stdout, self._running.stderr} - {-1}:
                os.close(fd)
            await in_thread(lambda: self._output.close(keep=True))
            self._freed = True
            if not self._keepers:
                await in_thread(self._output.drop)
