"""JSON as providers really send it."""

from typing import Any

import msgspec
import pytest

from bottega.providers.loose_json import arguments, entries, kept, second_look, shallow, text_in
from tests.providers.made_up import nested


class Shape(msgspec.Struct):
    piece: Any = None
    other: Any = None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (rb'{"piece": "a\ud83d", "other": "b\ud83d"}', Shape("a\ud83d", "b\ufffd")),
        (
            rb'{"other": {"\ud83d": ["\ude00", 1, null]}}',
            Shape(None, {"\ufffd": ["\ufffd", 1, None]}),
        ),
        (b'{"other": "a\xffb"}', Shape(None, "a\ufffdb")),
        (b'{"other": NaN}', Shape()),
        (b'{"other": "\xed\xa0\xbd"}', Shape(None, "\ufffd\ufffd\ufffd")),
    ],
)
def test_what_the_strict_reader_refuses_is_read(data: bytes, expected: Shape) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        msgspec.json.decode(data)
    assert second_look(data, Shape, frozenset({"piece"})) == expected


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"5", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_such_json_is_none(data: bytes) -> None:
    assert second_look(data, Shape, frozenset()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        (" \n", {}),
        ("{}", {}),
        ('{"a": 12345678901234567890123}', {"a": 12345678901234567890123}),
        (r'{"a": "\ud83d", "b": 1.5}', {"a": "\ufffd", "b": 1.5}),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (r'{"a": "\ud83d", "b": NaN}', None),
        (r'{"a": "\ud83d", "b": 1e999}', None),
        (r'{"a": "\ud83d"', None),
        ('{"a": 1e999}', None),
        ('{"a"', None),
        ("[]", None),
        ("1", None),
    ],
)
def test_arguments_are_an_object_or_nothing(text: str, expected: dict[str, Any] | None) -> None:
    assert arguments(text) == expected


def test_what_nests_deeper_than_can_be_stored_is_not_kept() -> None:
    assert kept(nested(150)) == nested(150)
    assert kept(nested(250)) is None
    assert kept(["\ud83d"]) == ["\ufffd"]
    assert shallow([[1], {"a": 2}])
    assert not shallow([nested(250)])


def test_the_objects_in_a_list_are_found_whatever_stands_beside_them() -> None:
    assert entries([1, {"a": 1}, None, "x", {"b": 2}]) == [{"a": 1}, {"b": 2}]
    assert entries({"a": 1}) == []
    assert text_in({"a": "x"}, "a") == "x"
    assert text_in({"a": 5}, "a") == ""
    assert text_in("a", "a") == ""
