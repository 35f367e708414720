"""A difference leads from one content to the other, exactly, and takes no time to be told."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.workspaces.changes.diff import Difference
from tests.hunt import examples

lines = st.lists(
    st.sampled_from([b"a", b"b", b"", b"c\r", b"\x0c", "é\u2028".encode()]), max_size=40
)
contents = st.builds(
    lambda found, end: b"\n".join(found) + end, lines, st.sampled_from([b"", b"\n"])
)


def applied(before: bytes, difference: list[bytes]) -> bytes:
    """What a simple reader of patches makes of it: every hunk must say what is really there."""
    old = re.findall(rb"[^\n]*\n|[^\n]+", before)
    new: list[bytes] = []
    at = 0
    last = b""
    for line in _split(difference):
        if found := re.match(rb"@@ -(\d+)(?:,(\d+))? ", line):
            start = int(found[1]) - (found[2] != b"0")
            new += old[at:start]
            at = start
        elif line.startswith(b"\\"):
            new[-1:] = [new[-1][:-1]] if last == b"+" else new[-1:]
        elif line[:1] in (b" ", b"-"):
            assert old[at].rstrip(b"\n") == line[1:].rstrip(b"\n")
            new += [old[at]] if line[:1] == b" " else []
            at += 1
        elif line.startswith(b"+") and not line.startswith(b"+++ "):
            new.append(line[1:])
        last = line[:1]
    return b"".join([*new, *old[at:]])


def _split(difference: list[bytes]) -> list[bytes]:
    """The lines after the heads, one by one."""
    hunks = [line for line in difference if line[:1] in (b"@", b" ", b"+", b"-")]
    hunks = [line for line in hunks if not line.startswith((b"--- ", b"+++ "))]
    return [part + b"\n" for line in hunks for part in line.split(b"\n")[:-1]]


@pytest.mark.fuzz
@settings(max_examples=examples(200, 20_000), deadline=None)
@given(before=contents, after=contents)
def test_the_difference_leads_from_one_content_to_the_other(before: bytes, after: bytes) -> None:
    difference = Difference("f", before, after)
    assert applied(before, list(difference.lines())) == after
    added, removed = difference.counts()
    assert added - removed == len(_lines(after)) - len(_lines(before))


def _lines(content: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", content)


def test_few_lines_are_shown_around_a_change() -> None:
    before = b"".join(b"line %d\n" % number for number in range(100))
    after = before.replace(b"line 50\n", b"other\n")

    assert b"".join(Difference("src/f", before, after).lines()).decode() == (
        "diff --git a/src/f b/src/f\n--- a/src/f\n+++ b/src/f\n@@ -48,7 +48,7 @@\n"
        " line 47\n line 48\n line 49\n-line 50\n+other\n line 51\n line 52\n line 53\n"
    )


def test_a_huge_file_is_compared_in_no_time() -> None:
    before = b"".join(b"%d\n" % (number % 7) for number in range(200_000))
    after = b"x\n" + before[:-2] + b"y\n"
    scrambled = b"".join(b"%d\n" % (number * 7919 % 200_003 + 9) for number in range(200_000))
    began = time.thread_time()
    assert Difference("f", before, before + b"z\n").counts() == (1, 0)
    assert Difference("f", before, after).counts() == (200_001, 200_000)
    assert Difference("f", before, scrambled).counts() == (200_000, 200_000)
    assert time.thread_time() - began < 5
