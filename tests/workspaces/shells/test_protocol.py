import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.workspaces.shells.protocol import Mark, Marks, new_word, quoted, to_lines

WORD = "0123456789abcdef"


def mark(code: str) -> bytes:
    return f"\x1b]7117;{WORD};{code}\x07".encode()


def test_marks_are_taken_out_and_told() -> None:
    found = Marks().feed(b"before" + mark("") + b"output" + mark("3") + b"$ ")
    assert found == [b"before", Mark(WORD, None), b"output", Mark(WORD, 3), b"$ "]


def test_marks_are_found_wherever_they_are_cut() -> None:
    whole = b"a" + mark("") + b"\x1b[31mred\x1b[0m" + mark("127") + b"b"
    for at in range(len(whole)):
        marks = Marks()
        found = marks.feed(whole[:at]) + marks.feed(whole[at:])
        assert [each for each in found if isinstance(each, Mark)] == [
            Mark(WORD, None),
            Mark(WORD, 127),
        ]
        assert b"".join(e for e in found if isinstance(e, bytes)) == b"a\x1b[31mred\x1b[0mb"


@pytest.mark.parametrize(
    "text",
    [
        b"\x1b",
        b"\x1b]7117;",
        b"\x1b]7117;short;1\x07",
        b"\x1b]7117;" + b"0" * 100,
        b"\x1b]0;title\x07",
        b"prompt \x1b[0m$ ",
    ],
)
def test_what_only_looks_like_a_mark_is_output(text: bytes) -> None:
    marks = Marks()
    found = marks.feed(text) + marks.feed(b"x" * 80)
    assert b"".join(each for each in found if isinstance(each, bytes)) == text + b"x" * 80


def test_a_question_after_an_escape_sequence_is_not_held_back() -> None:
    assert Marks().feed(b"\x1b[1mName?\x1b[0m ") == [b"\x1b[1mName?\x1b[0m "]


def test_every_command_has_a_word_of_its_own() -> None:
    assert len({new_word() for _ in range(1_000)}) == 1_000


_TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=80)


@given(_TEXT)
@settings(max_examples=60, deadline=None)
def test_any_text_is_one_word_of_a_shell(text: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"printf %s {quoted(text)}"], capture_output=True, check=True
    )
    assert done.stdout == text.encode()


@given(_TEXT)
def test_what_is_typed_holds_nothing_that_a_terminal_acts_upon(text: str) -> None:
    typed = to_lines(text, WORD)
    assert typed.isascii() or all(ord(each) >= 32 or each == "\n" for each in typed)
    assert all(ord(each) >= 32 and each != "\x7f" for each in typed if each != "\n")
    assert max(len(line.encode()) for line in typed.split("\n")) < 4_096
    assert WORD not in typed.split("\n")[0]
