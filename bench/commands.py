"""`bash -c true` with its output read to the end: in an open sandbox, and as a plain subprocess (the floor).

Measured by the clock, one after the other and interleaved with nothing; several processes work on it, so it may have
every core. The median is told: what the scheduler does to a single one says nothing.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Launch
from stopwatch import Figures, main

COMMAND = ("bash", "-c", "true")


async def timed(work: Callable[[], Awaitable[object]], times: int) -> float:
    """The median of many runs, in milliseconds."""
    await work()
    taken: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - begin)
    return median(taken) * 1e3


async def floor(_: str, quick: bool) -> Figures:
    async def once() -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*COMMAND, stdout=pipe, stderr=pipe)
        await process.communicate()

    return {"sandbox.command": await timed(once, 50 if quick else 300)}


async def bottega(_: str, quick: bool) -> Figures:
    with tempfile.TemporaryDirectory() as base:
        local = Local(Path(base, "state"))
        if local.kind != "bubblewrap":
            raise RuntimeError("bubblewrap is not installed")

        async def open_and_close() -> None:
            await (await local.open(base)).close()

        figures = {"sandbox.open": await timed(open_and_close, 3 if quick else 10)}
        sandbox = await local.open(base)
        figures["sandbox.command"] = await timed(lambda: once(sandbox), 50 if quick else 300)
        await sandbox.close()
        return figures


async def once(sandbox: Opened) -> None:
    program = await sandbox.start(Launch(COMMAND))
    readers = [await ended(fd) for fd in (program.stdout, program.stderr)]
    await asyncio.gather(program.wait(), *(reader.read() for reader in readers))


async def ended(fd: int) -> asyncio.StreamReader:
    """Reads a pipe as asyncio's own subprocesses do."""
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(fd, "rb", 0))
    return reader


if __name__ == "__main__":
    main(floor=floor, bottega=bottega)
