"""The door before an application that does nothing: what it lets in, and with what words it refuses."""

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from bottega.accounts.people import Person
from bottega.server.guard.bodies import MOST_BODY, MOST_UPLOAD, USUAL, limit_of
from bottega.server.guard.door import Door, Measures
from bottega.server.guard.places import Places
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
            await self.hold.wait()
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


async def signed_in(house: House, name: str) -> dict[str, str]:
    person = await house.people.add(name)
    return {"authorization": f"Bearer {await house.passes.give(person, 'token')}"}


async def test_where_too_many_are_inside_the_next_is_told_to_come_later(house: House) -> None:
    application = Application()
    application.hold.clear()
    door = Door(application, house, Measures(requests=4))
    one, other, third = [await signed_in(house, name) for name in ("one", "other", "third")]
    slow = [asyncio.create_task(ask(door, headers=one)) for _ in range(2)]
    for _ in slow:
        await application.inside.acquire()
    status, headers, problem = await ask(door, headers=one)
    assert (status, headers["retry-after"], problem["code"]) == (503, "1", "overloaded")
    slow += [asyncio.create_task(ask(door, headers=other)) for _ in range(2)]
    slow += [asyncio.create_task(ask(door, headers=third))]  # one of theirs is sure
    for _ in range(3):
        await application.inside.acquire()
    assert (await ask(door, headers=third))[0] == 503
    application.hold.set()
    assert [status for status, _, _ in await asyncio.gather(*slow)] == [200] * 5
    assert (await ask(door, headers=one))[0] == 200


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "socket", "slow body"])
async def test_no_number_of_people_locks_out_another(house: House, kind: str) -> None:
    application = Application()
    application.hold.clear()
    application.kind = kind.encode()
    at_work = Places(all=4, each=2, waiting=9, sure=1)
    door = Door(application, house, Measures(requests=8, streams=8, people_at_work=at_work))
    sent: dict[str, Any] = {"pieces": []} if kind == "slow body" else {}
    length = {"content-length": "9"} if kind == "slow body" else {}
    people = [await house.people.add(f"person-{n}") for n in range(7)]

    def begin(person: Person, carried: dict[str, str], name: str) -> asyncio.Task[Any]:
        if kind == "socket":
            ticket = house.tickets.give(person, carried["authorization"], "token")
            return asyncio.create_task(ask(door, f"/{name}/{ticket}", kind="websocket"))
        method = "POST" if length and name != "late" else "GET"
        options = {"headers": {**carried, **length}, **sent} if method == "POST" else {}
        return asyncio.create_task(
            ask(door, f"/{name}", method, **(options or {"headers": carried}))
        )

    carriers = [
        {"authorization": f"Bearer {await house.passes.give(each, 'token')}"} for each in people
    ]
    slow = [
        begin(person, carried, "other")
        for person, carried in zip(people[1:], carriers[1:], strict=True)
        for _ in range(9)
    ]
    for _ in range(100):
        await asyncio.sleep(0)
    late = begin(people[0], carriers[0], "late")
    async with asyncio.timeout(5):
        while not any(path.startswith("/late") for path in application.asked):
            await asyncio.sleep(0)
    for task in (*slow, late):
        task.cancel()
    await asyncio.wait({*slow, late})


async def test_an_answer_that_goes_on_and_on_leaves_its_place_to_requests(house: House) -> None:
    application = Application()
    application.hold.clear()
    application.kind = b"text/event-stream; charset=utf-8"
    door = Door(application, house, Measures(requests=2, streams=6))
    carried = await signed_in(house, "one")
    streams: list[asyncio.Task[Any]] = []
    async with asyncio.timeout(30):
        for _ in range(3):
            streams.append(asyncio.create_task(ask(door, headers=carried)))
            await application.inside.acquire()
    # The streams are full: the fourth keeps its place among requests.
    fourth = asyncio.create_task(ask(door, headers=carried))
    await application.inside.acquire()
    assert (await ask(door, headers=carried))[0] == 503
    application.hold.set()
    await asyncio.gather(*streams, fourth)
    assert (await ask(door, headers=carried))[0] == 200


async def test_a_client_that_leaves_leaves_its_place(house: House) -> None:
    application = Application()
    application.hold.clear()
    door = Door(application, house, Measures(requests=2))
    carried = await signed_in(house, "one")
    slow = asyncio.create_task(ask(door, headers=carried))
    await application.inside.acquire()
    assert (await ask(door, headers=carried))[0] == 503
    slow.cancel()
    await asyncio.wait({slow})
    application.hold.set()
    assert (await ask(door, headers=carried))[0] == 200


async def test_answers_that_strangers_do_not_read_take_no_place(house: House) -> None:
    application = Application()
    application.hold.clear()
    door = Door(application, house, Measures(strangers_at_work=Places(all=2, each=1, waiting=1)))
    unread = [asyncio.create_task(ask(door, client=f"10.0.{n % 2}.1")) for n in range(20)]
    async with asyncio.timeout(10):
        for _ in range(3):  # what waits for its turn has a bound; what goes out does not need one
            await application.inside.acquire()
        late = asyncio.create_task(ask(door, client="10.0.9.1"))
        await application.inside.acquire()
    application.hold.set()
    assert (await late)[0] == 200
    assert {status for status, _, _ in await asyncio.gather(*unread)} <= {200, 429}


async def test_a_body_that_says_it_is_too_long_is_not_begun(house: House) -> None:
    application = Application()
    door = Door(application, house)
    carried = await signed_in(house, "one")
    long, longest = ({**carried, "content-length": str(size)} for size in (USUAL + 1, USUAL))
    status, _, problem = await ask(door, "/x", "POST", headers=long)
    assert (status, problem["code"]) == (413, "too_large")
    assert application.asked == []
    assert (await ask(door, "/x", "POST", headers=longest))[0] == 200


async def test_the_body_of_a_sign_in_has_to_come_soon() -> None:
    assert 0 < limit_of("POST", "/api/sign-in").patience <= 3
    assert limit_of("POST", "/api/sessions").patience == 0


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
