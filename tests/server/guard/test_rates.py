"""How often, and how many at once. The clock is the test's."""

import pytest

from bottega.server.guard.rates import Buckets, Rate, Room


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_after_a_rest_a_burst_comes_through_and_then_the_rate(clock: Clock) -> None:
    buckets = Buckets(Rate(3, 2), clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, pytest.approx(0.5)]
    clock.now += 0.4
    assert buckets.take("a") == pytest.approx(0.1)
    clock.now += 0.11
    assert buckets.take("a") == 0
    assert buckets.take("a") > 0
    clock.now += 100
    assert [buckets.take("a") == 0 for _ in range(4)] == [True, True, True, False]


def test_who_is_refused_does_not_wait_longer_for_having_asked(clock: Clock) -> None:
    buckets = Buckets(Rate(1, 1), clock=clock)
    assert buckets.take("a") == 0
    for _ in range(1000):
        assert buckets.take("a") == pytest.approx(1)
    clock.now += 1.01
    assert buckets.take("a") == 0


def test_one_who_asks_too_often_is_no_burden_to_others(clock: Clock) -> None:
    buckets = Buckets(Rate(1, 1), clock=clock)
    while not buckets.take("a"):
        pass
    assert buckets.take("b") == 0


def test_what_is_remembered_has_a_bound(clock: Clock) -> None:
    buckets = Buckets(Rate(1, 0.001), most=100, clock=clock)
    for n in range(10_000):
        buckets.take(n)
        assert len(buckets) <= 100
    assert buckets.take(9_999) > 0


def test_those_who_rested_are_forgotten_first(clock: Clock) -> None:
    buckets = Buckets(Rate(1, 1), most=100, clock=clock)
    for n in range(99):
        buckets.take(n)
    clock.now += 2
    buckets.take("busy")
    buckets.take("new")
    assert len(buckets) == 2
    assert buckets.take("busy") > 0


def test_a_room_takes_so_many_and_of_one_no_more_than_a_share() -> None:
    room = Room(3, 2)
    assert [room.enter("a") for _ in range(3)] == [True, True, False]
    assert [room.enter("b") for _ in range(2)] == [True, False]
    room.leave("a")
    assert room.enter("b")


def test_some_of_each_are_let_in_whoever_else_is_inside() -> None:
    room = Room(4, 3, sure=1)
    assert [room.enter("a") for _ in range(4)] == [True, True, True, False]
    assert [room.enter("b") for _ in range(2)] == [True, False]
    assert [room.enter("c") for _ in range(2)] == [True, False]
    for key in "aaabc":
        room.leave(key)
    assert [room.enter("b") for _ in range(4)] == [True, True, True, False]
