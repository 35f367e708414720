from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.tools.bound import LIMIT, bounded, cut, weight
from bottega.tools.tool import to_json
from tests.hunt import LONG

SENTENCE = 200


def test_a_short_text_is_left_alone() -> None:
    text = "x" * LIMIT
    assert cut(text) is text


def test_a_long_text_keeps_its_two_ends_and_says_what_is_missing() -> None:
    text = "a" * 6_000 + "b" * 6_000
    short = cut(text, "All of it is in log.txt.")
    assert short.startswith("a" * 5_000 + "\n")
    assert short.endswith("\n" + "b" * 5_000)
    assert "2,000 of 12,000 characters" in short
    assert "All of it is in log.txt." in short
    assert "  " not in cut(text).replace("\n", "")


def test_a_structured_result_keeps_its_structure() -> None:
    value = {"path": "a.txt", "content": "x" * 50_000, "size": 50_000, "lines": 1}
    small = bounded(value)
    assert {**small, "content": ""} == {**value, "content": ""}
    assert "characters are left out" in small["content"]
    assert weight(small) <= LIMIT + SENTENCE


def test_several_long_texts_share_the_room_and_short_ones_stay_whole() -> None:
    value = [{"t": "short"}, {"t": "y" * 20_000}, {"t": "z" * 3_000}]
    small = bounded(value)
    assert small[0] == value[0]
    assert small[2] == value[2]
    assert 6_000 < len(small[1]["t"]) < 7_200


def test_very_many_small_things_are_cut_as_one_text() -> None:
    small = bounded([{"name": f"file{n}"} for n in range(5_000)])
    assert isinstance(small, str)
    assert small.startswith('[{"name":"file0"}')
    assert small.endswith('{"name":"file4999"}]')
    assert len(small) <= LIMIT + SENTENCE


def test_a_small_value_is_the_same_value() -> None:
    value = {"a": [1, None, "b", True]}
    assert bounded(value) is value


values = st.recursive(
    st.none() | st.integers(0, 9) | st.text(max_size=30) | st.integers(0, 9_000).map("x".__mul__),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=6)
    ),
    max_leaves=40,
)


@pytest.mark.fuzz
@settings(max_examples=20_000 if LONG else 100, deadline=None)
@given(value=values)
def test_nothing_is_ever_larger_than_the_limit_and_its_sentences(value: Any) -> None:
    small = bounded(value, "Kept.")
    cuts = to_json(small).count("are left out here. Kept.]")
    assert weight(small) <= LIMIT + cuts * 100 + 2
    assert (small == value) == (weight(value) <= LIMIT or isinstance(value, str)) or cuts
