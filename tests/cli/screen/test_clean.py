"""Text from outside is shown, never obeyed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.cli.screen.clean import LONGEST, Cleaner, clean, one_line

_PIECES = st.sampled_from(
    ["\x1b[31m", "\x1b]0;t\x07", "\x1b]8;;http://x\x1b\\", "\x1bP1\x1b\\", "\x9b2J", "\x9dx\x9c"]
    + ["\x1b", "\x1b[", "\x1b]", "a", "ü", "\n", "\t", "\x07", "\x9c", "\r\n", "\u202e", ";0"]
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode\n\ttext", "plain ünïcode\n\ttext"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;c2VjcmV0\x07copied", "copied"),
        ("\x1bPq#0;2;0;0;0\x1b\\picture", "picture"),
        ("\x9b31mred\x9d0;t\x9cx", "redx"),
        ("\x1bc\x1b(Breset", "reset"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("line\r\nline\rover", "line\nlineover"),
        ("abc\u202ednp.exe\u2066x\u2069", "abcdnp.exex"),
        ("\x1b]never ended\nnext", "never ended\nnext"),
        ("ends with \x1b", "ends with "),
    ],
)
def test_only_what_can_be_read_is_left(text: str, shown: str) -> None:
    assert clean(text) == shown
    whole = Cleaner()
    assert whole.feed(text) + whole.end() == shown


@given(st.lists(_PIECES, max_size=30), st.lists(st.integers(0, 40), max_size=10))
def test_pieces_of_any_size_give_what_the_whole_gives(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    cleaner = Cleaner()
    places = sorted({0, len(text), *(cut for cut in cuts if cut <= len(text))})
    shown = [cleaner.feed(text[a:b]) for a, b in zip(places, places[1:], strict=False)]

    assert "".join(shown) + cleaner.end() == clean(text)


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_nothing_that_commands_is_left(text: str) -> None:
    left = {c for c in clean(text) if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160}

    assert left == set()
    assert clean(clean(text)) == clean(text)


def test_a_sequence_that_never_ends_does_not_swallow_the_answer() -> None:
    cleaner = Cleaner()
    shown = cleaner.feed("\x1b]0;") + "".join(cleaner.feed("word ") for _ in range(LONGEST))

    assert len(shown) + len(cleaner.end()) >= 5 * LONGEST


def test_one_line_is_one_line_and_no_longer_than_asked() -> None:
    assert one_line("a\n b\t\tc \x1b[31m") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
