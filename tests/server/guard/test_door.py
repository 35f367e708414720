"""The door before an application that does nothing: what it lets in, and with what words it refuses."""

import asyncio
import json
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from bottega.server.guard.bodies import MOST_BODY, MOST_UPLOAD, USUAL, limit_of
from bottega.server.guard.door import Door, Measures
from bottega.server.guard.rates import Rate
from bottega.server.house import House


class Application:
    """Takes what comes: reads the body, waits if it is told to, and answers."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.hold = asyncio.Event()
        self.hold.set()
        self.inside = asyncio.Semaphore(0)
        self.kind = b"application/json"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope["path"])
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        while (await receive()).get("more_body"):
            pass
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", self.kind)],
            }
        )
        self.inside.release()
        await self.hold.wait()
        await send({"type": "http.response.body", "body": b"{}"})


async def ask(door: Door, path: str = "/", method: str = "GET", **options: Any) -> Any:
    """The status, the headers and the JSON of an answer."""
    pieces = list(options.pop("pieces", [b""]))
    kind = options.pop("kind", "http")
    headers = {"host": "127.0.0.1:8448", **options.pop("headers", {})}
    said: list[Message] = []

    async def receive() -> Message:
        if not pieces:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: Message) -> None:
        said.append(message)

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "scheme": {"http": "http", "websocket": "ws"}[kind],
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": (options.pop("client", "127.0.0.1"), 50000),
        "server": ("127.0.0.1", 8448),
        "query_string": b"",
        "extensions": {"websocket.http.response": {}},
    }
    async with asyncio.timeout(10):
        await door(scope, receive, send)
    if said[0]["type"] == "websocket.accept":
        return 101, {}, {}
    told = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return said[0]["status"], told, json.loads(b"".join(m.get("body", b"") for m in said[1:]))


async def test_who_asks_too_often_is_told_when_to_come_back(house: House) -> None:
    door = Door(Application(), house, Measures(stranger=Rate(2, 0.1)))
    answers = [await ask(door) for _ in range(3)]
    assert [status for status, _, _ in answers] == [200, 200, 429]
    _, headers, problem = answers[2]
    assert headers["retry-after"] == "10"
    assert problem["code"] == "too_often"
    assert "10 s" in problem["hint"]
    assert (await ask(door, client="10.0.0.9"))[0] == 200


async def test_addresses_of_one_network_count_as_one(house: House) -> None:
    door = Door(Application(), house, Measures(stranger=Rate(2, 0.1)))
    clients = ["2001:db8::1", "2001:db8::2", "2001:db8::ffff", "2001:db8:0:1::1", "::ffff:1.2.3.4"]
    assert [(await ask(door, client=client))[0] for client in clients] == [200, 200, 429, 200, 200]
    assert (await ask(door, client="1.2.3.4"))[0] == 200
    assert (await ask(door, client="1.2.3.4"))[0] == 429


async def test_signing_in_is_bounded_apart_from_all_else(house: House) -> None:
    door = Door(Application(), house)
    tries = [await ask(door, "/api/sign-in", "POST") for _ in range(12)]
    assert [status for status, _, _ in tries] == [200] * 10 + [429] * 2
    assert int(tries[-1][1]["retry-after"]) in (5, 6)
    assert (await ask(door))[0] == 200


async def test_a_stolen_guess_costs_the_guesser_not_the_person(house: House) -> None:
    door = Door(Application(), house, Measures(stranger=Rate(5, 0.1)))
    token = await house.passes.give(house.people.host(), "token")
    bad, good = ({"authorization": f"Bearer {words}"} for words in ("guess", token))
    answers = [(await ask(door, "/api/me", headers=bad))[0] for _ in range(7)]
    assert answers == [401] * 5 + [429] * 2
    assert (await ask(door, "/api/me", headers=good))[0] == 200


async def test_a_person_is_bounded_whatever_the_address_and_the_carrier(house: House) -> None:
    door = Door(Application(), house, Measures(person=Rate(2, 0.1)))
    token = await house.passes.give(house.people.host(), "token")
    login = await house.passes.give(house.people.host(), "login")
    page = {"cookie": f"bottega-8448={login}", "x-bottega-page": house.passes.page_key(login)}
    carriers = [{"authorization": f"Bearer {token}"}, page]
    answers = [
        (await ask(door, "/api/me", headers=carrier, client=f"10.0.0.{n}"))[0]
        for n, carrier in enumerate([*carriers, *carriers])
    ]
    assert answers == [200, 200, 429, 429]


async def test_where_too_many_are_inside_the_next_is_told_to_come_later(house: House) -> None:
    application = Application()
    application.hold.clear()
    door = Door(application, house, Measures(strangers=4))
    slow = [asyncio.create_task(ask(door)) for _ in range(2)]
    for _ in slow:
        await application.inside.acquire()
    status, headers, problem = await ask(door)
    assert (status, headers["retry-after"], problem["code"]) == (503, "1", "overloaded")
    others = [asyncio.create_task(ask(door, client="10.0.0.9")) for _ in range(2)]
    for _ in others:
        await application.inside.acquire()
    assert (await ask(door, client="10.0.0.10"))[0] == 503
    application.hold.set()
    assert [status for status, _, _ in await asyncio.gather(*slow, *others)] == [200] * 4
    assert (await ask(door))[0] == 200


async def test_an_answer_that_goes_on_and_on_leaves_its_place_to_requests(house: House) -> None:
    application = Application()
    application.hold.clear()
    application.kind = b"text/event-stream; charset=utf-8"
    door = Door(application, house, Measures(strangers=2, streams=6))
    streams = [asyncio.create_task(ask(door)) for _ in range(3)]
    async with asyncio.timeout(30):
        for _ in streams:
            await application.inside.acquire()
    fourth = asyncio.create_task(
        ask(door)
    )  # the streams are full: it keeps its place among requests
    await application.inside.acquire()
    assert (await ask(door))[0] == 503
    application.hold.set()
    await asyncio.gather(*streams, fourth)
    assert (await ask(door))[0] == 200


async def test_a_client_that_leaves_leaves_its_place(house: House) -> None:
    application = Application()
    application.hold.clear()
    door = Door(application, house, Measures(strangers=2))
    slow = asyncio.create_task(ask(door))
    await application.inside.acquire()
    assert (await ask(door))[0] == 503
    slow.cancel()
    await asyncio.wait({slow})
    application.hold.set()
    assert (await ask(door))[0] == 200


async def test_a_body_that_says_it_is_too_long_is_not_begun(house: House) -> None:
    application = Application()
    door = Door(application, house)
    status, _, problem = await ask(door, "/x", "POST", headers={"content-length": str(USUAL + 1)})
    assert (status, problem["code"]) == (413, "too_large")
    assert application.asked == []
    assert (await ask(door, "/x", "POST", headers={"content-length": str(USUAL)}))[0] == 200


async def test_the_bound_of_uploads_is_higher() -> None:
    assert limit_of("POST", "/api/projects/p/upload").size == MOST_UPLOAD == 100_000_000
    assert limit_of("PUT", "/api/projects/p/file").size == MOST_BODY
    assert limit_of("POST", "/api/projects/p/folders").size == USUAL


async def test_sockets_are_let_in_by_name_and_origin(house: House) -> None:
    application = Application()
    door = Door(application, house, Measures(sockets=Rate(3, 0.1)))

    async def opened(**headers: str) -> Any:
        return (await ask(door, "/ws/t", kind="websocket", headers=headers))[0]

    assert await opened(host="evil.example") == 421
    for origin in (
        "null",
        "http://evil.example",
        "http://127.0.0.1:3000",
        "https://127.0.0.1:8448",
    ):
        assert await opened(origin=origin) == 403, origin
    assert application.asked == []
    assert [await opened(origin="http://127.0.0.1:8448"), await opened()] == [101, 101]
    assert [await opened(), await opened()] == [101, 429]


async def test_somebody_who_asks_is_noted_once_a_minute(house: House) -> None:
    door = Door(Application(), house)
    token = await house.passes.give(house.people.host(), "token")
    carried = {"authorization": f"Bearer {token}"}
    assert house.people.host().seen_at == 0
    await ask(door, "/api/me", headers=carried)
    seen = house.people.host().seen_at
    assert seen
    await asyncio.gather(*(ask(door, "/api/me", headers=carried) for _ in range(20)))
    assert house.people.host().seen_at == seen
    await ask(door, "/api/me", headers={"authorization": "Bearer wrong"})
    assert house.people.host().seen_at == seen
