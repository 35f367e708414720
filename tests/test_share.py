"""What people share: each has a share of their own, and waits behind themselves alone."""

import asyncio

from bottega.share import Share, Turns


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
