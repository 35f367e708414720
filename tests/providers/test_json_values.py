"""Values that no provider should send, and some do."""

from bottega.providers.protocol.json_values import count, encode, written
from tests.providers.made_up import nested


def test_whatever_was_said_can_be_written() -> None:
    assert written({"a": "\ud83d"}) == '{"a":"\ufffd"}'
    assert written(nested(100_000)) == "(nested too deeply)"
    assert encode("\udc80") == '"\ufffd"'.encode()


def test_counts_are_whole_numbers_or_nothing() -> None:
    odd = (-1, True, None, "5", 2**60, float("nan"), [])
    assert [count(found) for found in odd] == [0] * len(odd)
    assert (count(5), count(5.0)) == (5, 5)
