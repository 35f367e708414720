"""The end of a log in memory: what it holds, how much, and whom it wakes."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.sessions.feed import RING, Feed, Row
from bottega.sessions.log import frames
from tests.hunt import examples


def followed(last_index: int = 0) -> Feed:
    feed = Feed(last_index)
    feed.followers = 1
    return feed


def row(index: int, size: int = 10) -> Row:
    return index, b"x" * size


def test_what_was_pushed_is_there_for_every_cursor() -> None:
    feed = followed()
    feed.push([row(1), row(2)])
    feed.push([row(3)])
    assert feed.last_index == 3
    assert feed.since(0) == [row(1), row(2), row(3)]
    assert feed.since(2) == [row(3)]
    assert feed.since(3) == []
    assert feed.since(9) == []


def test_what_was_before_the_feed_must_be_read_elsewhere() -> None:
    feed = followed(10)
    feed.push([row(11)])
    assert feed.since(9) == []
    assert feed.since(10) == [row(11)]


def test_memory_is_bounded_and_the_newest_stay() -> None:
    feed = followed()
    for index in range(1, 2001):
        feed.push([row(index, 1000)])
        held = feed.since(feed.last_index - 1)
        assert held == [row(index, 1000)]
        first = next(i for i in range(index) if feed.since(i))
        assert (index - first) * 1000 <= 2 * RING
    assert feed.since(0) == []


def test_one_event_larger_than_the_ring_is_still_shown() -> None:
    feed = followed()
    feed.push([row(1, 3 * RING)])
    assert feed.since(0) == [row(1, 3 * RING)]


def test_nothing_is_held_for_nobody() -> None:
    feed = Feed(0)
    feed.push([row(1)])
    assert feed.last_index == 1
    assert feed.since(0) == []
    feed.followers = 1
    feed.push([row(2)])
    assert feed.since(1) == [row(2)]
    feed.rest()
    assert feed.since(1) == []


def test_rows_of_another_process_in_between_break_the_ring() -> None:
    feed = followed()
    feed.push([row(1)])
    feed.grow(2)
    feed.push([row(3)])
    assert feed.since(0) == []
    assert feed.since(1) == []
    assert feed.since(2) == [row(3)]


async def test_who_waits_is_woken_by_growth_and_by_the_end() -> None:
    feed = Feed(5)
    waits = [asyncio.ensure_future(feed.wait(5)) for _ in range(3)]
    await asyncio.sleep(0)
    feed.grow(5)
    await asyncio.sleep(0)
    assert not any(wait.done() for wait in waits)
    feed.grow(6)
    async with asyncio.timeout(30):
        await asyncio.gather(*waits)
    last = asyncio.ensure_future(feed.wait(6))
    await asyncio.sleep(0)
    feed.end()
    async with asyncio.timeout(30):
        await last


async def test_who_gave_up_waiting_leaves_nothing_behind() -> None:
    feed = Feed(0)
    for _ in range(100):
        wait = asyncio.ensure_future(feed.wait(0))
        await asyncio.sleep(0)
        wait.cancel()
        with pytest.raises(asyncio.CancelledError):
            await wait
    assert not feed._waiting  # noqa: SLF001


@pytest.mark.fuzz
@settings(max_examples=examples(200, 5_000), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["push", "grow", "look"]), st.integers(1, 4))))
def test_a_cursor_sees_each_event_once_and_in_order(moves: list[tuple[str, int]]) -> None:
    """Against a plain list: whatever memory holds joins on to what the database holds."""
    feed, stored, seen = followed(), 0, list[int]()

    def look() -> None:
        cursor = seen[-1] if seen else 0
        held = feed.since(cursor) or [row(i) for i in range(cursor + 1, feed.last_index + 1)]
        seen.extend(index for index, _ in held)

    for move, amount in moves:
        if move == "push":  # this process wrote
            feed.push([row(stored + i) for i in range(1, amount + 1)])
            stored += amount
        elif move == "grow":  # another one did
            stored += amount
            feed.grow(stored)
        else:
            look()
    while len(seen) < stored:
        before = len(seen)
        look()
        assert len(seen) > before, "a follower got stuck"
    assert seen == list(range(1, stored + 1))


@given(st.sets(st.integers(1, 40)), st.integers(0, 40))
def test_frames_tell_exactly_what_is_missing(kept: set[int], cursor: int) -> None:
    rows = [row(index) for index in sorted(kept) if index > cursor]
    told: list[int] = []
    for frame in frames(rows, cursor):
        if frame.trimmed:
            first, last = frame.trimmed
            assert not kept & set(range(first, last + 1))
            told += range(first, last + 1)
        assert frame.events
        told += [index for index, _ in frame.events]
    assert told == list(range(cursor + 1, max(kept, default=0) + 1))


async def test_what_the_worker_itself_wrote_wakes_only_those_who_wait_for_anything() -> None:
    feed = Feed(0)
    others = asyncio.ensure_future(feed.wait_for_others(0))
    anything = asyncio.ensure_future(feed.wait(0))
    feed.push([(1, b"own")], own=True)
    async with asyncio.timeout(30):
        await anything
    assert not others.done()
    feed.push([(2, b"a guest's")])
    async with asyncio.timeout(30):
        await others


async def test_own_rows_that_do_not_join_on_tell_that_others_wrote_between() -> None:
    feed = Feed(3)
    others = asyncio.ensure_future(feed.wait_for_others(3))
    feed.push([(4, b"own")], own=True)
    feed.push([(6, b"own, after another process's fifth")], own=True)
    async with asyncio.timeout(30):
        await others
    assert feed.others_index == 6


async def test_who_waits_for_others_hears_that_the_session_is_gone() -> None:
    feed = Feed(0)
    others = asyncio.ensure_future(feed.wait_for_others(0))
    await asyncio.sleep(0)
    feed.end()
    async with asyncio.timeout(30):
        await others
