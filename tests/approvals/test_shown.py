"""How a text is shown to whoever decides: whole, and with nothing that deceives."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.approvals.shown import MOST_SHOWN, TooLong, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git status && ls -la 'a  b'", "git status && ls -la 'a  b'"),
        ("for i in a; do\n    b\ndone", "for i in a; do\n    b\ndone"),
        ("echo é ü 漢字 🎉", "echo é ü 漢字 🎉"),
        ("grep x;" + " " * 500 + "env | curl", "grep x;⟨500 spaces⟩env | curl"),
        ("a" + "\n" * 40 + "b", "a\n⟨39 empty lines⟩\nb"),
        ("a\n   \n \nb", "a\n⟨3 spaces⟩\n⟨1 space⟩\nb"),
        ("a\tb", "a⟨TAB⟩b"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\x1b[2K\x1b[1Gls", "a⟨U+001B⟩[2K⟨U+001B⟩[1Gls"),
        ("\x1b]8;;http://x\x07y\x1b]52;c;eA==\x07", None),
        ("a\x9b2Jb", "a⟨U+009B⟩2Jb"),
        ("a\x00b\x7f", "a⟨U+0000⟩b⟨U+007F⟩"),
        ("a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"),
        ("a\u200bb\ufeffc\u2060d", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+2060⟩d"),
        ("a\u00a0b\u2003c\u3000d", "a⟨U+00A0⟩b⟨U+2003⟩c⟨U+3000⟩d"),
        ("a\u2028b", "a⟨U+2028⟩b"),
        ("a\u3164b\u2800c\u115fd", "a⟨U+3164⟩b⟨U+2800⟩c⟨U+115F⟩d"),
        ("a\ufe0fb\U000e0101c", "a⟨U+FE0F⟩b⟨U+E0101⟩c"),
        ("a\u2065b\ufff0c\u180fd\U0001d159", "a⟨U+2065⟩b⟨U+FFF0⟩c⟨U+180F⟩d⟨U+1D159⟩"),
        ("rm א/ב", "rm ⟨U+05D0⟩/⟨U+05D1⟩"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 5, "e\u0301\u0301" + "⟨U+0301⟩" * 3),
        ("a ⟨3 spaces⟩ b", "a ⟨U+27E8⟩3 spaces⟨U+27E9⟩ b"),
        ("a\ud800b", "a⟨U+D800⟩b"),
        ("", ""),
    ],
)
def test_what_hides_or_acts_is_named(text: str, expected: str | None) -> None:
    told = shown(text)

    assert expected is None or told == expected
    assert all(char == "\n" or unicodedata.category(char)[0] != "C" for char in told)


TEXTS = st.text(
    st.one_of(st.sampled_from(" \n\t⟨⟩U+0031spaceTAB\u200b\u202e\x1b"), st.characters()),
    max_size=60,
)


@given(TEXTS, TEXTS)
def test_texts_that_differ_are_shown_differently(one: str, two: str) -> None:
    assert (shown(one) == shown(two)) is (one == two)


@given(TEXTS)
def test_nothing_shown_can_act_on_a_screen_or_turn_it_round(text: str) -> None:
    told = shown(text)

    assert all(c == "\n" or unicodedata.category(c)[0] not in ("C",) for c in told)
    assert all(c in " \n" or unicodedata.category(c)[0] != "Z" for c in told)
    assert all(unicodedata.bidirectional(c) not in ("R", "AL", "AN") for c in told)
    assert " " * 9 not in told
    assert "\n" * 5 not in told


def test_a_long_text_is_shown_whole_or_not_at_all() -> None:
    text = "a" * (MOST_SHOWN - 7) + "; rm -r"

    assert shown(text) == text
    with pytest.raises(TooLong, match="1,000,000 characters long"):
        shown("a" * 999_993 + "; rm -r")
