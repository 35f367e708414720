"""The last lines of a command's output, in whatever pieces it comes."""

from hypothesis import given
from hypothesis import strategies as st

from bottega.cli.screen.calls.tail import KEPT, LONGEST, Tail


def test_the_last_lines_are_kept_and_all_are_counted() -> None:
    tail = Tail("".join(f"line {n}\n" for n in range(1000)) + "half")

    assert tail.last(3) == ["line 998", "line 999", "half"]
    assert tail.total == 1001


def test_a_progress_bar_leaves_its_last_state() -> None:
    tail = Tail("10%\r50%\r100%\ndone\r\n")

    assert tail.last(5) == ["100%", "done"]


def test_a_return_and_its_line_end_may_come_apart() -> None:
    tail = Tail("one\r")
    tail.feed("\ntwo")

    assert tail.last(5) == ["one", "two"]


def test_escapes_are_removed_and_empty_lines_left_out() -> None:
    assert Tail("\x1b[32mgreen\x1b[0m\n\n\n \nb\tc\n").last(5) == ["green", "b   c"]


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    tail = Tail()
    for _ in range(1000):
        tail.feed("x" * 1000)

    assert tail.last(1) == ["x" * LONGEST]


@given(st.lists(st.sampled_from(["a", "b\n", "\n", "cc", "\x1b[3", "1m", "dd\n"]), max_size=30))
def test_the_size_of_the_pieces_changes_nothing(pieces: list[str]) -> None:
    whole, parts = Tail("".join(pieces)), Tail()
    for piece in pieces:
        parts.feed(piece)

    assert parts.last(KEPT) == whole.last(KEPT)
    assert parts.total == whole.total
