"""What a setting may hold: whatever a file can, and JSON can tell again."""

from typing import Any

import pytest

from bottega.errors import BadUsage
from bottega.studio.setup.plain import check_plain, is_text


@pytest.mark.parametrize(
    "value",
    ["text", 1, 1.5, True, None, ["a", 1], {"a": {"b": [1, {"c": "größe 🙂"}]}}, 2**63 - 1, ()],
)
def test_what_a_file_can_hold_is_fine(value: Any) -> None:
    check_plain(value)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("a\0b", "no text"),
        ({"a\ud800": 1}, "no text"),
        ({"a": ["\udfff"]}, "no text"),
        (2**63, "too large"),
        ([-(2**64)], "too large"),
        (float("nan"), "not finite"),
        ({"a": float("inf")}, "not finite"),
        (["a", None], "no null"),
        ([[[[[[[["deep"]]]]]]]], "too deeply"),
    ],
)
def test_what_none_can_hold_is_refused_in_words(value: Any, why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        check_plain(value)


def test_text_is_what_can_be_stored_and_sent() -> None:
    assert is_text("größe 🙂")
    assert not is_text("\0")
    assert not is_text("half \ud83d")
