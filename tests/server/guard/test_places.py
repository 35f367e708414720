"""Who is worked for: a few requests of each, and those who wait take turns."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from bottega.server.guard import visit
from bottega.server.guard.door import Door, Measures
from bottega.server.guard.places import Crowded, Places, Queue
from bottega.server.house import House
from tests.server.guard.test_door import ask


class Slow:
    """An application that is done with a request when it is told so."""

    def __init__(self, kind: bytes = b"application/json") -> None:
        self.inside = 0
        self.most = 0
        self.go_on = asyncio.Event()
        self._kind = kind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        headers = [(b"content-type", self._kind)]
        if self._kind.startswith(b"text/"):
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self.go_on.wait()
        elif scope["path"] != "/api/quick":
            await self.go_on.wait()
        if not self._kind.startswith(b"text/"):
            await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})
        self.inside -= 1


async def carrier(house: House, name: str) -> dict[str, str]:
    person = await house.people.add(name)
    return {"authorization": f"Bearer {await house.passes.give(person, 'token')}"}


async def until(wanted: int, slow: Slow) -> None:
    """Return once so many are inside, which are no more a while later."""
    async with asyncio.timeout(8):
        while slow.inside < wanted:
            await asyncio.sleep(0.001)
    for _ in range(50):
        await asyncio.sleep(0)
    assert slow.inside == wanted


async def test_of_one_a_few_are_worked_on_and_others_do_not_wait_for_the_rest(house: House) -> None:
    slow = Slow()
    door = Door(slow, house, Measures(people_at_work=Places(all=64, each=4, waiting=50)))
    greedy, other = await carrier(house, "greedy"), await carrier(house, "other")
    many = [asyncio.create_task(ask(door, "/api/x", headers=greedy)) for _ in range(60)]
    await until(4, slow)
    assert (await ask(door, "/api/quick", headers=other))[0] == 200
    slow.go_on.set()
    answers: list[Any] = [status for status, _, _ in await asyncio.gather(*many)]
    assert sorted(answers) == [200] * 54 + [429] * 6
    assert slow.most <= 5


@pytest.mark.parametrize("kind", [b"text/event-stream", b"application/json"])
async def test_streams_and_what_takes_long_make_room(
    house: House, monkeypatch: pytest.MonkeyPatch, kind: bytes
) -> None:
    monkeypatch.setattr(visit, "LONG", 0.0 if b"json" in kind else 60.0)
    slow = Slow(kind)
    door = Door(slow, house, Measures(people_at_work=Places(all=4, each=1, waiting=50), long=9))
    person = await carrier(house, "one")
    many = [asyncio.create_task(ask(door, "/api/x", headers=person)) for _ in range(10)]
    await until(10, slow)
    slow.go_on.set()
    assert {status for status, _, _ in await asyncio.gather(*many, return_exceptions=False)} == {
        200
    }


async def test_those_who_wait_take_turns() -> None:
    queue = Queue(Places(all=1, each=1, waiting=9))
    order: list[str] = []

    async def work(name: str) -> None:
        await queue.enter(name)
        order.append(name)
        await asyncio.sleep(0)
        queue.leave(name)

    names = ["a"] * 5 + ["b"] * 2 + ["c"]
    await asyncio.gather(*(work(name) for name in names))
    assert order == ["a", "a", "b", "c", "a", "b", "a", "a"]


async def test_who_gives_up_leaves_no_place_taken() -> None:
    queue = Queue(Places(all=1, each=1, waiting=2))
    await queue.enter("a")
    waiting = [asyncio.create_task(queue.enter("a")) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Crowded):
        await queue.enter("a")
    for task in waiting:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    queue.leave("a")
    assert queue.held("a") == 0
    async with asyncio.timeout(1):
        await queue.enter("a")


async def test_a_few_places_of_each_are_sure() -> None:
    queue = Queue(Places(all=2, each=2, waiting=9, sure=1))
    async with asyncio.timeout(1):
        for key in ("a", "a", "b", "c"):
            await queue.enter(key)
    second = asyncio.create_task(queue.enter("b"))
    await asyncio.sleep(0)
    assert not second.done()
    queue.leave("b")  # all others hold on to theirs
    async with asyncio.timeout(1):
        await second
    assert queue.held("b") == 1
