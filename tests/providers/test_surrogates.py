"""Half a character never leaves."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.providers.protocol.surrogates import Growing, mend, mended

ANY_TEXT = st.text(st.characters(categories=None), max_size=6) | st.text(
    "\ud83d\ude00a", max_size=6
)


@settings(deadline=None)
@given(st.lists(ANY_TEXT))
def test_pieces_with_half_characters_add_up_to_the_mended_whole(pieces: list[str]) -> None:
    grown, shown = Growing(), ""
    for piece in pieces:
        shown += grown.add_odd(piece)
        shown.encode()
    shown += grown.end()
    assert shown == grown.text == mend("".join(pieces))
    assert grown.end() == ""


@settings(deadline=None)
@given(st.text())
def test_a_text_without_halves_stays_as_it_is(text: str) -> None:
    assert mend(text) == text
    grown = Growing()
    for letter in text:
        grown.add(letter)
    assert grown.text == text


def test_every_string_of_a_value_is_mended_but_for_the_pieces() -> None:
    value = {"delta": "a\ud83d", "\ud83d": ["\ude00", {"delta": {"text": "\ud83d"}}], "n": 1}
    assert mended(value, frozenset({"delta"})) == {
        "delta": "a\ud83d",
        "\ufffd": ["\ufffd", {"delta": {"text": "\ufffd"}}],
        "n": 1,
    }


@settings(deadline=None)
@given(ANY_TEXT)
def test_halves_are_joined_as_utf_16_joins_them(text: str) -> None:
    assert mend(text) == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def test_very_many_halves_cost_little_more_than_letters() -> None:
    started = time.thread_time()
    assert mend("\ud83d" * 2_000_000) == "\ufffd" * 2_000_000
    assert time.thread_time() - started < 0.4
