import time
from pathlib import Path

import pytest

from bottega.errors import BadUsage
from bottega.workspaces.outputs.search import MOST, TooSlow, search
from bottega.workspaces.outputs.source import Source
from bottega.workspaces.outputs.spool import Spool


async def found(content: bytes, pattern: str, *, regex: bool = False) -> list[tuple[int, str]]:
    matches = await search(Source(content), pattern, regex=regex)
    return [(each.line, each.text) for each in matches.found]


async def test_lines_are_found_with_their_numbers_as_plain_text() -> None:
    text = b"one\n\x1b[31merr\x1b[0mor: a.b\nerror: axb\n"
    assert await found(text, "error: a.b") == [(2, "error: a.b")]
    assert await found(text, r"error: a.b", regex=True) == [(2, "error: a.b"), (3, "error: axb")]
    assert await found(text, "nowhere") == []
    assert await found(text, "-e") == []
    assert await found(b"", "x") == []


async def test_a_pattern_that_is_none_is_said_so() -> None:
    with pytest.raises(BadUsage, match="unclosed group"):
        await found(b"abc\n", "(", regex=True)


async def test_a_pattern_that_ruins_others_takes_no_time_here() -> None:
    began = time.monotonic()
    assert await found(b"a" * 7_000 + b"!\n", "(a+)+$", regex=True) == []
    assert time.monotonic() - began < 5


async def test_a_match_deep_in_a_huge_line_is_shown_with_what_stands_around_it() -> None:
    line = b"first\n" + b"x" * 500_000 + b" the needle " + b"y" * 500_000 + b"\nlast needle\n"
    (at, text), last = await found(line, "needle")
    assert at == 2
    assert "the needle yyy" in text
    assert len(text) < 500
    assert last == (3, "last needle")


async def test_matches_beyond_a_gap_have_their_true_numbers(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", 32 * 1024, 32 * 1024)
    for n in range(1, 50_001):
        spool.write(b"line %d\n" % n)
    spool.close()
    matches = await search(Source(tmp_path / "s"), "line 4999")
    assert [each.line for each in matches.found][-1] == 49_999
    assert all(each.text == f"line {each.line}" for each in matches.found)


async def test_no_more_matches_are_told_than_can_be_read() -> None:
    matches = await search(Source(b"match\n" * 100_000), "match")
    assert len(matches.found) == MOST
    assert matches.more
    assert [each.line for each in matches.found] == list(range(1, MOST + 1))
    matches = await search(Source(b"match\n" * MOST), "match")
    assert not matches.more


async def test_a_search_that_takes_too_long_is_ended() -> None:
    with pytest.raises(TooSlow, match="within 0 seconds"):
        await search(Source(b"x\n" * 1_000_000), "y", seconds=0)
