"""Bytes on their way to a client: what they are read from is let go, whether anybody takes them or not."""

from collections.abc import Generator

import pytest

from bottega.server.sending import Sent


class Source:
    def __init__(self) -> None:
        self.open = False

    def chunks(self) -> Generator[bytes]:
        self.open = True
        try:
            yield from (b"one", b"", b"two", b"three")
        finally:
            self.open = False


async def test_every_piece_that_holds_something_is_sent() -> None:
    source = Source()
    assert [chunk async for chunk in Sent(source.chunks())] == [b"one", b"two", b"three"]
    assert not source.open


async def test_a_client_that_goes_half_way_lets_the_source_go() -> None:
    source = Source()
    taking = aiter(Sent(source.chunks()))
    assert await anext(taking) == b"one"
    assert source.open
    await taking.aclose()  # type: ignore[attr-defined]
    assert not source.open


async def test_one_that_nobody_begins_to_take_is_let_go_with_its_answer() -> None:
    source = Source()
    chunks = source.chunks()
    next(chunks)
    answer = Sent(chunks)
    del answer
    assert not source.open
    with pytest.raises(StopIteration):
        next(chunks)
