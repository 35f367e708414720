"""Server-sent events out of bytes, however they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.providers.sse import MAX_EVENT, Splitter, TooLong

LINES = st.sampled_from(
    [
        b"data: a",
        b"data:b",
        b"data",
        b"event: x",
        b": note",
        b"id: 1",
        b"",
        b"retry: 5",
        b"data:  c",
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
BODIES = st.lists(st.tuples(LINES, ENDS), max_size=12).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


def _split(pieces: list[bytes]) -> list[tuple[str, bytes]]:
    splitter = Splitter()
    events = [event for piece in pieces for event in splitter.feed(piece)]
    return events + splitter.end()


@pytest.mark.fuzz
@pytest.mark.requirement("A40")
@given(BODIES, st.booleans(), st.lists(st.integers(0, 150), max_size=20))
def test_the_events_are_the_same_wherever_the_body_is_cut(
    body: bytes, mark: bool, cuts: list[int]
) -> None:
    body = b"\xef\xbb\xbf" * mark + body
    places = sorted({0, *(cut for cut in cuts if cut < len(body)), len(body)})
    pieces = [body[a:b] for a, b in zip(places, places[1:], strict=False)]
    assert _split(pieces) == _split([body])
    assert _split([body[n : n + 1] for n in range(len(body))]) == _split([body])


def test_an_event_is_there_as_soon_as_its_lines_are() -> None:
    splitter = Splitter()
    assert splitter.feed(b"data: a\n") == []
    assert splitter.feed(b"\n") == [("", b"a")]
    assert splitter.feed(b"event: x\rdata: b\r\r") == []
    assert splitter.feed(b"d") == [("x", b"b")]


def test_a_very_long_event_comes_whole_and_in_linear_time() -> None:
    splitter = Splitter()
    splitter.feed(b"data: ")
    for _ in range(20_000):
        assert splitter.feed(b"x" * 1000) == []
    ((name, data),) = splitter.feed(b"\n\n")
    assert (name, len(data)) == ("", 20_000_000)


@pytest.mark.parametrize("size", [1000, 1_000_000, MAX_EVENT])
def test_an_endless_event_is_refused(size: int) -> None:
    pieces = [b"x" * size] * (MAX_EVENT // size + 2)
    with pytest.raises(TooLong):
        _split(pieces)


def test_an_endless_row_of_lines_is_refused() -> None:
    lines = [b"data: " + b"x" * 1_000_000 + b"\n"] * 40
    with pytest.raises(TooLong):
        _split(lines)
