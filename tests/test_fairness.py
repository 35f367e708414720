"""What people share, threads above all: each has a share of their own, and waits behind themselves alone."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from bottega.errors import TooMany
from bottega.fairness import Share, Threads, Turns, acting_for


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


async def test_who_has_a_full_share_waits_and_another_does_not() -> None:
    share = Share(lambda: 1)
    order: list[str] = []

    async def use(person: int, name: str, until: asyncio.Event) -> None:
        async with share.hold(person):
            order.append(name)
            await until.wait()

    done = asyncio.Event()
    tasks = [
        asyncio.create_task(use(1, "first", done)),
        asyncio.create_task(use(1, "second", done)),
        asyncio.create_task(use(2, "other", done)),
    ]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert order == ["first", "other"]
    done.set()
    await asyncio.gather(*tasks)
    assert order == ["first", "other", "second"]
    assert share.held(1) == share.held(2) == 0


async def test_who_gives_up_waiting_holds_nothing_and_blocks_nobody() -> None:
    share = Share(lambda: 1)

    async def use() -> None:
        async with share.hold(1):
            pass

    async with share.hold(1):
        waiting = [asyncio.create_task(use()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.wait({waiting[0]})
    async with asyncio.timeout(5):
        await asyncio.gather(*waiting[1:])
    assert share.held(1) == 0


async def test_a_place_that_is_handed_to_somebody_who_leaves_at_that_moment_is_not_lost() -> None:
    share = Share(lambda: 1)

    async def use() -> None:
        async with share.hold(1):
            pass

    async with share.hold(1):
        late = asyncio.create_task(use())
        await asyncio.sleep(0)
    late.cancel()
    await asyncio.wait({late})
    assert share.held(1) == 0
    async with asyncio.timeout(5), share.hold(1):
        pass


async def test_of_one_persons_many_one_goes_on_in_each_round_of_the_loop() -> None:
    turns = Turns()
    rounds: list[str] = []

    async def work(person: int, name: str) -> None:
        for _ in range(3):
            await turns.next(person)
            rounds.append(name)

    greedy = [asyncio.create_task(work(1, "greedy")) for _ in range(50)]
    await asyncio.sleep(0)
    await asyncio.create_task(work(2, "other"))
    assert rounds.count("greedy") < 20, "the other's three turns came among the first"
    async with asyncio.timeout(5):
        await asyncio.gather(*greedy)
    assert rounds.count("greedy") == 150
