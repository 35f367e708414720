"""The policy of tries, as laws that hold for every input."""

from math import inf, isfinite, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.providers.http.retry import Policy, can_help, most, next_delay
from bottega.providers.provider import Failed

seconds = st.floats(min_value=0, max_value=1e6)
policies = st.builds(
    Policy,
    attempts=st.integers(0, 20),
    shortest=seconds,
    first=seconds,
    factor=st.floats(min_value=1, max_value=1e12),
    longest=seconds,
    in_total=seconds,
)
asked = st.none() | st.floats() | st.sampled_from([nan, inf, -inf, -1.0, 0.0])
chances = st.floats(min_value=0, max_value=1)


@pytest.mark.fuzz
@pytest.mark.requirement("C7")
@given(policies, st.integers(1, 2000), seconds, asked, chances)
def test_every_wait_is_finite_and_within_both_bounds(
    policy: Policy, number: int, spent: float, retry_after: float | None, chance: float
) -> None:
    delay = next_delay(policy, number, spent, retry_after, lambda: chance)
    if delay is None:
        return
    assert isfinite(delay)
    assert 0 <= delay <= policy.longest
    assert spent + delay <= policy.in_total * (1 + 1e-9)
    assert number < policy.attempts


@pytest.mark.fuzz
@pytest.mark.requirement("C7")
@given(st.integers(1, 9), st.floats(0, 119), st.floats(0, 1000), chances)
def test_what_the_provider_asks_for_is_kept_or_nothing_is_tried(
    number: int, spent: float, retry_after: float, chance: float
) -> None:
    delay = next_delay(Policy(), number, spent, retry_after, lambda: chance)
    if retry_after > 30 or retry_after > 120 - spent:
        assert delay is None
    else:
        assert delay is not None
        assert delay >= retry_after


@pytest.mark.fuzz
@given(chances)
def test_whatever_the_chances_a_request_ends_in_time(chance: float) -> None:
    policy, spent, number = Policy(attempts=10**9), 0.0, 1
    while (delay := next_delay(policy, number, spent, None, lambda: chance)) is not None:
        spent, number = spent + delay, number + 1
    assert spent == pytest.approx(120)
    assert number <= 250


@pytest.mark.requirement("C7")
def test_waits_grow_from_about_a_second_to_half_a_minute() -> None:
    longest = [next_delay(Policy(), n, 0, None, lambda: 1.0) for n in range(1, 10)]
    shortest = [next_delay(Policy(), n, 0, None, lambda: 0.0) for n in range(1, 10)]
    assert longest == [1, 2, 4, 8, 16, 30, 30, 30, 30]
    assert shortest == [0.5] * 9


def test_the_last_try_is_followed_by_none() -> None:
    assert next_delay(Policy(attempts=10), 10, 0, None, lambda: 0.5) is None
    assert next_delay(Policy(attempts=1), 1, 0, 0.0, lambda: 0.5) is None


def test_waits_do_not_grow_beyond_all_numbers() -> None:
    assert next_delay(Policy(attempts=10**6), 5000, 0, None, lambda: 1.0) == 30


def test_spent_time_leaves_no_wait() -> None:
    assert next_delay(Policy(), 1, 120, None, lambda: 0.5) is None
    assert next_delay(Policy(), 1, nan, None, lambda: 0.5) is None


@pytest.mark.requirement("C7")
@pytest.mark.parametrize(
    ("status", "helps"),
    [(0, True), (200, True), (408, True), (409, True), (429, True), (500, True), (529, True)]
    + [(300, False), (400, False), (401, False), (403, False), (404, False), (422, False)],
)
def test_only_a_failure_that_may_pass_is_worth_a_try(status: int, helps: bool) -> None:
    assert can_help(Failed("m", "c", retryable=True, status=status)) is helps
    assert not can_help(Failed("m", "c", retryable=False, status=status))


def test_an_address_that_nobody_answers_at_is_tried_less_often() -> None:
    policy = Policy(attempts=10)
    assert most(policy, Failed("m", "overloaded", retryable=True)) == 10
    assert most(policy, Failed("m", "unreachable", retryable=True)) == 6
    assert most(Policy(attempts=2), Failed("m", "unreachable", retryable=True)) == 2
