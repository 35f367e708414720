import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.workspaces.outputs.plain import LONGEST, PlainText, plain


def fed(*chunks: bytes) -> str:
    text = PlainText()
    return "".join(map(text.feed, chunks)) + text.finish()


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://x.y\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2K\x1b[1Gdone", "done"),
        ("a\x1b(Bb\x1b=c\x1bMd", "abcd"),
        ("bell\x07 and null\x00", "bell and null"),
        ("10 %\r20 %\r100 %\n", "100 %\n"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
        ("last state\r", "last state"),
        ("gone\r\x1b[K\rthere\n", "there\n"),
        ("spin |\b/\b-\b\\\b done", "spin  done"),
        ("\b\bx", "x"),
        ("tab\tand é and 漢字", "tab\tand é and 漢字"),
        ("\x9b31mred\x9b0m", "red"),
    ],
)
def test_what_a_terminal_obeys_is_taken_out_and_a_line_is_read_in_its_last_state(
    printed: str, read: str
) -> None:
    assert plain(printed) == read
    assert fed(printed.encode()) == read


def test_characters_that_are_cut_in_two_are_put_together() -> None:
    whole = "a é 漢 🎉\n".encode()
    assert fed(*(bytes([each]) for each in whole)) == "a é 漢 🎉\n"


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert fed(b"a\xff\xfeb\n", b"\xc3") == "a��b\n�"


def test_lines_are_settled_when_they_end_and_the_unfinished_one_can_be_looked_at() -> None:
    text = PlainText()
    assert text.feed(b"one\ntwo\nPass") == "one\ntwo\n"
    assert text.partial == "Pass"
    assert text.feed(b"word: \x1b[") == ""
    assert text.partial == "Password: ", "half an escape sequence is not shown"
    assert text.feed(b"0m\nx") == "Password: \n"
    assert text.finish() == "x"
    assert text.partial == ""


def test_a_progress_bar_becomes_one_line_however_it_was_cut() -> None:
    bar = b"".join(b"\r%d %%" % n for n in range(101)) + b"\n"
    assert {fed(bar[:at], bar[at:]) for at in range(len(bar))} == {"100 %\n"}


def test_no_more_is_held_of_an_endless_line_than_was_said() -> None:
    text = PlainText()
    given = 0
    for _ in range(40):
        given += len(text.feed(b"x" * 10_000))
    assert 400_000 - given <= LONGEST
    assert given + len(text.finish()) == 400_000


def test_a_sequence_that_never_ends_takes_nothing_else_along() -> None:
    assert "after" in fed(b"\x1b]0;" + b"x" * 200_000, b"\nafter\n")


_PIECES = st.sampled_from(
    [b"a", b"bc", b"\n", b"\r", b"\b", b"\x1b[31m", b"\x1b]0;t\x07", b"\x1b", "é".encode(), b"\xff"]
)


@given(st.lists(_PIECES, max_size=30), st.data())
@settings(max_examples=200, deadline=None)
def test_it_makes_no_difference_where_the_bytes_were_cut(
    pieces: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    chunks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert fed(*chunks) == fed(whole)
