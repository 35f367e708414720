import asyncio
import os
import select
import threading

import pytest

from bottega.fairness import acting_for
from bottega.workspaces.outputs.drain import CHUNK, Drain, in_thread, unbroken


async def test_all_is_read_in_order_and_the_end_is_known() -> None:
    reader, writer = os.pipe()
    shown: list[bytes] = []
    drain = Drain(reader, lambda chunk: chunk, shown.append, close=True)

    def feed() -> None:
        with os.fdopen(writer, "wb") as file:
            for n in range(300_000):
                file.write(b"%d\n" % n)

    await asyncio.to_thread(feed)
    await drain.task
    assert b"".join(shown) == b"".join(b"%d\n" % n for n in range(300_000))
    assert max(map(len, shown)) <= CHUNK
    await asyncio.sleep(0)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(reader)


async def test_what_was_printed_up_to_now_is_waited_for_but_not_what_comes_after() -> None:
    reader, writer = os.pipe()
    shown: list[bytes] = []
    gate = threading.Event()

    def slowly(chunk: bytes) -> bytes:
        gate.wait(20)
        return chunk

    drain = Drain(reader, slowly, shown.append, close=True)
    os.write(writer, b"one")
    await asyncio.sleep(0)
    os.write(writer, b"two")
    waiting = asyncio.create_task(drain.caught_up())
    await asyncio.sleep(0)
    assert not waiting.done()
    gate.set()
    async with asyncio.timeout(20):
        await waiting
    assert b"".join(shown) == b"onetwo"
    assert not drain.task.done(), "the other end is still open"
    os.close(writer)
    await drain.task
    await drain.caught_up()


async def test_a_drain_can_be_given_up_at_any_time() -> None:
    for turns in range(3):
        reader, writer = os.pipe()
        drain = Drain(reader, len, lambda _: None, close=True)
        for _ in range(turns):
            await asyncio.sleep(0)
        drain.task.cancel()
        await asyncio.wait({drain.task})
        await asyncio.sleep(0)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(reader)
        os.close(writer)


async def test_what_must_not_be_broken_off_ends_before_a_cancel_passes_on() -> None:
    begun, gate, ended = asyncio.Event(), asyncio.Event(), False

    async def work() -> int:
        nonlocal ended
        begun.set()
        await gate.wait()
        ended = True
        return 7

    task = asyncio.create_task(unbroken(work()))
    await begun.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended
    assert await unbroken(asyncio.sleep(0, 5)) == 5
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)


async def test_of_one_person_one_chunk_is_read_in_a_round_of_the_loop() -> None:
    pipes = [os.pipe() for _ in range(16)]
    for _, writer in pipes:
        os.write(writer, b"y\n" * 1_000)

    def left() -> int:
        return sum(len(select.select([reader], [], [], 0)[0]) for reader, _ in pipes)

    with acting_for(7):
        drains = [Drain(reader, lambda chunk: chunk, lambda _: None) for reader, _ in pipes]
    before = left()
    for _ in range(40):
        await asyncio.sleep(0)
        assert before - left() <= 1
        before = left()
    assert before == 0
    for _, writer in pipes:
        os.close(writer)
    await asyncio.gather(*(drain.task for drain in drains))
    for reader, _ in pipes:
        os.close(reader)
