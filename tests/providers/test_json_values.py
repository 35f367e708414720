"""Values that no provider should send, and some do."""

from typing import Any

from bottega.providers.json_values import MAX_DEPTH, call_input, count, encode, is_object, written


def nested(depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(depth - 1):
        found = {"a": found}
    return found


def test_only_objects_that_can_be_read_back_are_arguments() -> None:
    assert call_input("") == ({}, "")
    assert call_input(' {"a": [1]} ') == ({"a": [1]}, "")
    for text in ("[1]", "{", "5", '{"a":' * 900 + "1" + "}" * 900):
        assert call_input(text) == ({}, text)


def test_depth_and_numbers_have_bounds() -> None:
    assert is_object(nested(MAX_DEPTH))
    assert not is_object(nested(MAX_DEPTH + 1))
    assert not is_object({"a": [float("inf")]})
    assert not is_object([])


def test_whatever_was_said_can_be_written() -> None:
    assert written({"a": "\ud83d"}) == '{"a":"\ufffd"}'
    assert written(nested(5000)) == "(nested too deeply)"
    assert encode("\udc80") == '"\ufffd"'.encode()


def test_counts_are_whole_numbers_or_nothing() -> None:
    odd = (-1, True, None, "5", 2**60, float("nan"), [])
    assert [count(found) for found in odd] == [0] * len(odd)
    assert (count(5), count(5.0)) == (5, 5)
