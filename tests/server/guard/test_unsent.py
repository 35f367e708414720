"""Large answers that wait to be taken: so many bytes for each person."""

from typing import Any

from bottega.server.guard.unsent import PIECE, Outgoing, Unsent

SIZE = 2 * PIECE
ROOM = 3 * PIECE


class Client:
    """Takes what it is sent, and notes whether something else was answered instead."""

    def __init__(self, unsent: Unsent, person: int) -> None:
        self.received: list[Any] = []
        self.is_refused = False
        self.outgoing = Outgoing(unsent, person, self._take, self._refuse)

    async def _take(self, message: Any) -> None:
        self.received.append(message["type"])

    async def _refuse(self) -> None:
        self.is_refused = True

    async def answer(self, size: int = SIZE) -> None:
        length = (b"content-length", str(size).encode())
        await self.outgoing.send(
            {"type": "http.response.start", "status": 200, "headers": [length]}
        )
        await self.outgoing.send({"type": "http.response.body", "body": b"x" * size})


async def test_a_second_large_answer_is_refused_until_the_first_was_taken() -> None:
    unsent = Unsent(ROOM)
    first, second, third = (Client(unsent, 1) for _ in range(3))
    await first.answer()
    await second.answer()
    assert (first.is_refused, second.is_refused) == (False, True)
    assert second.received == [], "nothing of it went out before the refusal"
    first.outgoing.end()
    second.outgoing.end()
    await third.answer()
    assert not third.is_refused


async def test_what_one_does_not_take_refuses_nothing_to_another() -> None:
    unsent = Unsent(ROOM)
    one, other = Client(unsent, 1), Client(unsent, 2)
    await one.answer()
    await other.answer()
    assert not other.is_refused
    assert other.received == ["http.response.start", "http.response.body"]


async def test_one_answer_is_let_out_whatever_its_size_and_small_ones_always() -> None:
    unsent = Unsent(ROOM)
    large, small, next_one = (Client(unsent, 1) for _ in range(3))
    await large.answer(10 * ROOM)
    await small.answer(PIECE)
    await next_one.answer()
    assert (large.is_refused, small.is_refused, next_one.is_refused) == (False, False, True)
    assert unsent.is_full(1)
