"""Threads that several people use."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from bottega.errors import TooMany
from bottega.threads import Threads, acting_for


@pytest.fixture
def threads() -> Iterator[Threads]:
    with Threads(4, 2, "test") as made:
        yield made


async def ran(threads: Threads, work: object) -> object:
    assert callable(work)
    return await asyncio.get_running_loop().run_in_executor(threads, work)


async def test_one_person_keeps_no_more_than_a_share_busy_and_another_is_served_at_once(
    threads: Threads,
) -> None:
    let_go = threading.Event()
    with acting_for(1):
        held = [asyncio.create_task(ran(threads, let_go.wait)) for _ in range(20)]
    await asyncio.sleep(0)
    with acting_for(2):
        assert await asyncio.wait_for(ran(threads, lambda: "done"), 5) == "done"
    assert await asyncio.wait_for(ran(threads, lambda: "nobody's"), 5) == "nobody's"
    let_go.set()
    assert all(await asyncio.gather(*held))


async def test_what_fails_frees_its_place(threads: Threads) -> None:
    with acting_for(1):
        for _ in range(9):
            with pytest.raises(ZeroDivisionError):
                await ran(threads, lambda: 1 // 0)
        assert await ran(threads, lambda: 1) == 1


async def test_too_long_a_line_is_refused() -> None:
    let_go = threading.Event()
    with Threads(2, 1, "test", line=2) as threads, acting_for(1):
        held = [asyncio.create_task(ran(threads, let_go.wait)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(TooMany):
            await ran(threads, let_go.wait)
        let_go.set()
        await asyncio.gather(*held)


async def test_what_a_client_that_left_waited_for_never_begins(threads: Threads) -> None:
    let_go, begun = threading.Event(), threading.Event()
    with acting_for(1):
        held = [asyncio.create_task(ran(threads, let_go.wait)) for _ in range(2)]
    await asyncio.sleep(0)

    async def request() -> None:
        with acting_for(1, request=True) as caller:
            asyncio.get_running_loop().call_soon(caller.leave)
            await ran(threads, begun.set)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(request())
    assert threads.waiting(1) == 1
    let_go.set()
    await asyncio.gather(*held)
    assert await ran(threads, lambda: 1) == 1
    assert not begun.is_set()
    assert threads.waiting(1) == 0


async def test_what_a_request_began_for_others_too_goes_on_without_it(threads: Threads) -> None:
    async def request() -> "asyncio.Task[object]":
        with acting_for(1, request=True) as caller:
            shared = asyncio.create_task(ran(threads, lambda: "made"))
            caller.leave()
            return shared

    shared = await asyncio.create_task(request())
    assert await shared == "made"
