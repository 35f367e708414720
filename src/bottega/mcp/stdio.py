"""A server that is a program: it runs in a sandbox of its own, so that no other one sees its secrets or its end.

Leaving kills it and everything it started, and says how it ended.
"""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from bottega.errors import Problem
from bottega.mcp.channel import OpenSandbox, Surroundings
from bottega.mcp.lines import Incoming, Outgoing, Pipes
from bottega.mcp.problems import plain
from bottega.mcp.programs import Program, find
from bottega.mcp.secrets import Secrets, resolve
from bottega.mcp.server import McpServer, destination_of
from bottega.workspaces.sandbox.sandbox import Launch, Running, Sandbox

_REST = 0.2
"""Seconds in which the last output of a program that ended is read."""
_TAIL = 8 * 1024
_PIECE = 64 * 1024
_PAUSE = 0.01
"""Seconds between two pieces of last words: a program that writes without end waits for its reader."""
_WORDS = 600


class Stdio:
    def __init__(self, name: str, server: McpServer, around: Surroundings) -> None:
        self.ended = asyncio.Event()
        self._around = around
        self._server = server
        self._program: Program = find(name, server, around.folder, around.path)
        self.roots = (Path(around.folder).as_uri(),) if self._program.sees_folder else ()
        place = destination_of(name, server)
        self._secrets: Secrets = resolve(name, server.env, lambda key: around.look_up(key, place))
        self._tail = _Tail()
        self._code: int | None = None
        self._dead = asyncio.Event()
        self._pipes: Pipes | None = None

    def tidy(self, text: str, longest: int | None = None) -> str:
        return self._secrets.without(text, longest)

    def detail(self) -> str:
        said = [self._pipes.fault if self._pipes else ""]
        if self._code is not None and not said[0]:
            by = f"by signal {-self._code}" if self._code < 0 else f"with exit code {self._code}"
            said.append(f"It ended {by}.")
        if words := self.tidy(self._tail.text()):
            said.append(f"Its last words: {words}")
        elif self._pipes and self._pipes.printed:
            said.append(f"It printed: {self.tidy(plain(self._pipes.printed))}")
        return " ".join(filter(None, said))

    async def __aenter__(self) -> tuple[Incoming, Outgoing]:
        open_sandbox: OpenSandbox = self._around.open_sandbox
        program = self._program
        self._sandbox: Sandbox = await open_sandbox(
            network=self._server.network, visible=program.visible, folder=program.sees_folder
        )
        try:
            environment = {"PATH": program.path, **self._secrets.values}
            self._running: Running = await self._sandbox.start(
                Launch(program.argv, environment=environment, feed=True)
            )
            self._tail.follow(self._running.stderr)
            self._pipes = Pipes(
                self._running.stdin, self._running.stdout, self._around.patience.largest
            )
            await self._pipes.open()
            self._mourning = asyncio.create_task(self._mourn(self._pipes))
        except BaseException:
            await self._sandbox.close()
            await self._tail.end()
            raise
        return Incoming(self._pipes, self.ended), Outgoing(self._pipes, self.ended)

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        assert self._pipes
        self._pipes.close_input()
        try:
            if exc_type is not asyncio.CancelledError and not self._pipes.fault:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._around.patience.grace):
                        await self._dead.wait()
        finally:
            self._mourning.cancel()
            try:
                await self._running.kill()
            finally:
                await self._sandbox.close()
                self._pipes.close()
                await self._tail.end()

    async def _mourn(self, pipes: Pipes) -> None:
        """A program that ended says no more, even where something that it started still holds its output open."""
        with suppress(Problem):
            self._code = await self._running.wait()
            self._dead.set()
            await asyncio.sleep(_REST)
            pipes.close()


class _Tail:
    """The last words of a program: read all the time, so that it never waits, and kept to a few."""

    def __init__(self) -> None:
        self._kept = b""
        self._task: asyncio.Task[None] | None = None

    def follow(self, fd: int) -> None:
        self._task = asyncio.create_task(self._read(os.fdopen(fd, "rb", 0)))

    async def _read(self, pipe: "os.PathLike[bytes] | object") -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        try:
            while piece := await reader.read(_PIECE):
                self._kept = (self._kept + piece)[-_TAIL:]
                if len(piece) > _TAIL:
                    await asyncio.sleep(_PAUSE)
        finally:
            transport.close()

    async def end(self) -> None:
        """Read what is still to be read; who left a descriptor open elsewhere is not waited for."""
        if self._task:
            await asyncio.wait({self._task}, timeout=0.2)
            self._task.cancel()
            await asyncio.wait({self._task})

    def text(self) -> str:
        lines = self._kept.decode(errors="replace").strip().splitlines()
        words = "\n".join(lines[-12:])
        is_cut = len(words) > _WORDS or (len(self._kept) == _TAIL and len(lines) <= 12)
        return ("…" if is_cut else "") + plain(words[-_WORDS:], _WORDS)
