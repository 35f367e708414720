"""One command in a sandbox, from its start to its end: drained as it prints, ended with all it started when it must be.

However it goes (an end, a timeout, a cancel), nothing of it is left behind but what it put into the background itself,
and that lives no longer than its sandbox.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

import msgspec

from bottega.workspaces.outputs.drain import Drain, in_thread, unbroken
from bottega.workspaces.outputs.glimpse import Glimpse
from bottega.workspaces.outputs.live import Live
from bottega.workspaces.outputs.outputs import Output
from bottega.workspaces.outputs.stream import Stream
from bottega.workspaces.sandbox.sandbox import Launch, Running, Sandbox

GRACE = 0.25
"""Seconds in which what the command left behind may close its output."""

_IN_BACKGROUND: set[asyncio.Task[None]] = set()
"""The loop itself holds tasks only weakly."""


class Ended(msgspec.Struct, frozen=True):
    exit_code: int | None
    """-N: signal N ended it; None: it was ended by us, since its time was up."""
    stdout: Glimpse
    stderr: Glimpse
    seconds: float
    in_background: bool
    """Something that it started still holds its output; what comes is kept."""


async def execute(
    sandbox: Sandbox,
    launch: Launch,
    *,
    seconds: float,
    output: Output,
    emit: Callable[[str], None],
) -> Ended:
    """Run it to its end, or for so many seconds. A cancel ends it, and passes on once it is gone."""
    with sandbox.attended():
        return await _execute(sandbox, launch, seconds, output, emit)


async def _execute(
    sandbox: Sandbox, launch: Launch, seconds: float, output: Output, emit: Callable[[str], None]
) -> Ended:
    began = time.monotonic()
    running = await _started(sandbox, launch)
    live = Live(emit, f"More is printed than is shown here. read_output has it as {output.id!r}.")
    streams = [Stream(name, live, output.spool(name)) for name in ("stdout", "stderr")]
    drains = [
        Drain(fd, stream.take, stream.show, close=True)
        for fd, stream in zip((running.stdout, running.stderr), streams, strict=True)
    ]
    tasks = [each.task for each in drains]
    waiter = asyncio.create_task(running.wait())
    try:
        await asyncio.wait({waiter}, timeout=seconds)
        in_time = waiter.done()
        if not in_time:
            await unbroken(running.kill())
        code = await waiter
        closed = await asyncio.gather(*(each.ended(GRACE) for each in drains))
        open_still = {task for task, done in zip(tasks, closed, strict=True) if not done}
        for task in set(tasks) - open_still:
            task.result()
        for stream in streams:
            stream.finish()
    except BaseException:
        waiter.cancel()
        await unbroken(_stop(running, tasks))
        raise
    finally:
        live.finish()
    if open_still:
        _leave(open_still, output)
    return Ended(
        code if in_time else None,
        streams[0].glimpse,
        streams[1].glimpse,
        time.monotonic() - began,
        bool(open_still),
    )


async def _started(sandbox: Sandbox, launch: Launch) -> Running:
    """Start it. A cancel at this moment waits for the start, and ends what was started."""
    starting = asyncio.ensure_future(sandbox.start(launch))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await unbroken(_undone(starting))
        raise


async def _undone(starting: Awaitable[Running]) -> None:
    try:
        running = await starting
    except Exception:  # so there is nothing to end
        return
    await running.kill()
    for fd in {running.stdin, running.stdout, running.stderr} - {-1}:
        os.close(fd)


async def _stop(running: Running, drains: list[asyncio.Task[None]]) -> None:
    try:
        await running.kill()
    finally:
        for each in drains:
            each.cancel()
        await asyncio.wait(drains)


def _leave(drains: set[asyncio.Task[None]], output: Output) -> None:
    """Go on keeping what comes; were the output closed, printing would end those that print."""

    async def rest() -> None:
        try:
            await asyncio.gather(*drains)
        finally:
            await in_thread(lambda: output.close(keep=True))

    task = asyncio.create_task(rest())
    _IN_BACKGROUND.add(task)
    task.add_done_callback(_IN_BACKGROUND.discard)
