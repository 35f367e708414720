"""Severity: high (F5). Texts and names that were chosen so that comparing them takes as long as can be."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega import alike
from bottega.projects.files.match import match, named
from bottega.tools.editing.miss import explained
from bottega.tools.nearest import nearest
from bottega.workspaces.changes.diff import Difference
from bottega.workspaces.confine import Root
from tests.attacks.slow_texts import interleaved, scattered

SOON = 1.5
"""Seconds of this thread's CPU."""


def difference() -> None:
    both = Difference("x", *interleaved(2_990)).compared()
    assert both.counts()[0] > 0
    assert b"".join(both.lines())


def missed() -> None:
    old, line = scattered(200)
    assert explained("\n".join([line[:200]] * 500), old[:200])


def close_names() -> None:
    word, other = scattered(250)
    alike.close(word, [f"{other}{i}" for i in range(5_000)], 3, 0.6)


def words_of_names() -> None:
    names = [f"{n}/{'_'.join('ab' * 60)}" for n in range(3_000)]
    match(named(names), "ab" * 60, 200)


@pytest.mark.parametrize("compare", [difference, missed, close_names, words_of_names])
def test_it_ends_soon(compare: Callable[[], None]) -> None:
    begun = time.thread_time()
    compare()
    assert time.thread_time() - begun < SOON


def test_a_name_among_thousands_that_resemble_it_is_suggested_soon(tmp_path: Path) -> None:
    word, other = scattered(120)
    for n in range(500):
        (tmp_path / f"{other[:240]}{n}").touch()
    begun = time.thread_time()
    with Root(tmp_path) as root:
        nearest(root, word[:240])
    assert time.thread_time() - begun < SOON


def test_what_people_write_is_still_compared_line_by_line() -> None:
    before = [f"line {n}" for n in range(3_000)]
    after = [f"{line} changed" if n % 10 == 0 else line for n, line in enumerate(before)]
    sides = ("\n".join(side).encode() for side in (before, after))
    assert Difference("x", *sides).counts() == (300, 300)
