"""What goes out has to move on: a byte now and then is no progress."""

import asyncio
from typing import Any, cast

import pytest

from bottega.server.guard.progress import LEAST, Progress
from bottega.server.guard.turns import Wire

PATIENCE = 0.1


class Transport:
    """A client that takes bytes when the test says so."""

    def __init__(self) -> None:
        self.waiting = 0
        self.is_cut = asyncio.Event()

    def write(self, data: bytes) -> None:
        self.waiting += len(data)

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.is_cut.set()


def watched(waiting: int) -> tuple[Transport, Wire, Progress]:
    transport = Transport()
    wire = Wire(cast("Any", transport))
    wire.write(b"x" * waiting)
    progress = Progress(wire, PATIENCE)
    progress.watch()
    return transport, wire, progress


async def take(transport: Transport, size: int, wire: Wire | None = None) -> bool:
    """Take so many bytes every now and then, for several times as long as one is patient; False: it was cut."""
    for _ in range(60):
        transport.waiting -= size
        if wire:
            wire.write(b"y" * size)
        if transport.is_cut.is_set():
            return False
        await asyncio.sleep(PATIENCE / 10)
    return True


@pytest.mark.parametrize("size", [0, 1, 10])
async def test_a_byte_now_and_then_is_no_progress(size: int) -> None:
    transport, _, progress = watched(500_000)
    assert not await take(transport, size)
    progress.stop()


async def test_who_reads_at_a_rate_is_not_cut_though_as_much_is_written_meanwhile() -> None:
    transport, wire, progress = watched(50_000)
    assert await take(transport, LEAST, wire)
    progress.stop()


async def test_the_last_bytes_may_be_few() -> None:
    transport, _, progress = watched(10)
    transport.waiting = 0
    await asyncio.sleep(PATIENCE * 2)
    assert not transport.is_cut.is_set()
    progress.stop()
