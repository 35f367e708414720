"""Severity: high (H4, its kind). Texts and names that were chosen so that comparing them takes as long as can be."""

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
from tests.attacks.slow_texts import interleaved, tossed

SOON = 1.5
"""Seconds of this thread's CPU."""


def difference() -> None:
    both = Difference("x", *interleaved(2_990)).compared()
    assert both.counts()[0] > 0
    assert b"".join(both.lines())


def close_names() -> None:
    word, *others = tossed(190, 2_000)
    alike.close(word, others, 3, 0.6)


def words_of_names() -> None:
    name = "_".join("ab" * 60)
    match(named(f"{n}{name}/{name}" for n in range(3_000)), "ab" * 100, 200)


def missed() -> None:
    old, *lines = tossed(190, 500)
    assert explained("\n".join(lines), old)


@pytest.mark.parametrize("compare", [difference, close_names, words_of_names, missed])
def test_it_ends_soon(compare: Callable[[], None]) -> None:
    begun = time.thread_time()
    compare()
    assert time.thread_time() - begun < SOON


def test_a_name_among_thousands_that_resemble_it_is_suggested_soon(tmp_path: Path) -> None:
    word, *others = tossed(190, 600)
    for other in others:
        (tmp_path / other).touch()
    begun = time.thread_time()
    with Root(tmp_path) as root:
        nearest(root, word)
    assert time.thread_time() - begun < SOON


def test_what_people_write_is_still_compared_line_by_line() -> None:
    before = [f"line {n}" for n in range(3_000)]
    after = [f"{line} changed" if n % 10 == 0 else line for n, line in enumerate(before)]
    sides = ("\n".join(side).encode() for side in (before, after))
    assert Difference("x", *sides).counts() == (300, 300)
