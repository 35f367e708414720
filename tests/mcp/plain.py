"""A sandbox that holds nothing back: the seam on plain processes, for tests of what lies on this side of it."""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bottega.errors import Problem
from bottega.workspaces.sandbox.sandbox import Launch, Size


class PlainRunning:
    def __init__(self, process: asyncio.subprocess.Process, fds: tuple[int, int, int]) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr = fds

    async def wait(self) -> int:
        return await self.process.wait()

    async def kill(self) -> None:
        """Every process that has the mark of this one in its environment, however it got away."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()

    def resize(self, size: Size) -> None: ...


class PlainSandbox:
    kind = "none"

    def __init__(self, folder: str, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.running: list[PlainRunning] = []
        self.closed = False

    async def start(self, launch: Launch) -> PlainRunning:
        (inner_in, stdin), (stdout, inner_out), (stderr, inner_err) = (
            os.pipe(),
            os.pipe(),
            os.pipe(),
        )
        try:
            process = await asyncio.create_subprocess_exec(
                *launch.argv,
                stdin=inner_in,
                stdout=inner_out,
                stderr=inner_err,
                cwd=Path(self.folder, launch.folder),
                env={"PATH": "/usr/bin:/bin", **self.environment, **launch.environment},
                start_new_session=True,
            )
        except BaseException as error:
            for fd in (stdin, stdout, stderr):
                os.close(fd)
            if isinstance(error, OSError):
                told = f"{launch.argv[0]!r} cannot be started: {error.strerror}."
                raise Problem(told) from error
            raise
        finally:
            for fd in (inner_in, inner_out, inner_err):
                os.close(fd)
        running = PlainRunning(process, (stdin, stdout, stderr))
        self.running.append(running)
        return running

    async def close(self) -> None:
        for running in self.running:
            await running.kill()
        self.closed = True


class PlainSandboxes:
    """Opens them, and remembers how it was asked to."""

    def __init__(self, folder: str, environment: Mapping[str, str] = {}) -> None:
        self._folder = folder
        self.opened: list[PlainSandbox] = []
        self.asked: list[tuple[bool, tuple[str, ...]]] = []
        self.environment = environment
        self.begun = asyncio.Event()

    async def __call__(
        self, *, network: bool, visible: tuple[str, ...], folder: bool
    ) -> PlainSandbox:
        self.asked.append((network, visible))
        self.begun.set()
        sandbox = PlainSandbox(self._folder, self.environment)
        self.opened.append(sandbox)
        return sandbox
