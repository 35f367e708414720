"""Numbers as people read them."""

import time

import pytest

from bottega.cli.screen import figures


def test_one_is_not_many() -> None:
    assert figures.count(1, "line") == "1 line"
    assert figures.count(12, "line") == "12 lines"
    assert figures.count(2, "entry") == "2 entries"
    assert figures.count(2, "day") == "2 days"
    assert figures.count(12345, "row") == "12,345 rows"


@pytest.mark.parametrize(
    ("micro", "said"),
    [
        (None, "price unknown"),
        (0, "free"),
        (1, "$0.000001"),
        (1234, "$0.0012"),
        (56_000, "$0.056"),
        (100_000, "$0.10"),
        (1_234_567, "$1.23"),
        (1_234_000_000, "$1,234.00"),
    ],
)
def test_money_says_what_matters_and_never_guesses(micro: int | None, said: str) -> None:
    assert figures.money(micro) == said


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (0, "0 ms"),
        (3.4, "3 ms"),
        (999, "999 ms"),
        (1200, "1.2 s"),
        (59_940, "59.9 s"),
        (60_000, "1 min"),
        (125_000, "2 min 5 s"),
        (3_600_000, "1 h"),
        (5_400_000, "1 h 30 min"),
    ],
)
def test_durations_have_two_units_at_most(ms: float, said: str) -> None:
    assert figures.duration(ms) == said


def test_tokens_and_sizes_are_short() -> None:
    assert [figures.tokens(n) for n in (950, 1000, 12_345, 1_200_000)] == [
        *("950", "1k", "12.3k", "1.2M"),
    ]
    assert [figures.size(n) for n in (812, 3400, 1_200_000_000, 2 * 10**12)] == [
        *("812 B", "3.4 kB", "1.2 GB", "2.0 TB"),
    ]


def test_moments_are_the_more_exact_the_nearer_they_are() -> None:
    noon = int(time.mktime((2026, 3, 10, 20, 0, 0, 0, 0, -1))) * 1000
    hour = 3_600_000

    said = [figures.ago(noon - passed, noon) for passed in (0, 90_000, 3 * hour, 13 * hour)]

    assert said == ["just now", "1 min ago", "3 h ago", "today 07:00"]
    assert figures.ago(noon - 26 * hour, noon) == "yesterday 18:00"
    assert figures.ago(noon - 100 * hour, noon) == "2026-03-06"
