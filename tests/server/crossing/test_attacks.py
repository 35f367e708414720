"""Attacks on servers of this kind that were published, tried on this one: those on what is another's, and on its life.

The tables of crossed ids are in test_ownership; here are the ways around such tables.
"""

import asyncio
import re
import time
from typing import Any

import aiohttp
import msgspec
import pytest
from fastapi import APIRouter

from bottega.server.app import routers
from bottega.server.hub import frames
from bottega.server.who import Signed
from tests.hunt import LONG
from tests.server.crossing.belongings import Owner, never
from tests.server.crossing.test_ownership import OWNED, told, unguarded, ways_of
from tests.server.hub.wire import fresh, wired
from tests.server.serving import Serving

CROWD = 50 if LONG else 6
CALLS = 200 if LONG else 5


@pytest.mark.asyncio(loop_scope="package")
async def test_a_session_of_anothers_cannot_be_spoken_to_through_the_simple_stream(
    people: list[Owner],
) -> None:
    """As with CVE-2026-45349: the table was right, and one route took the id out of its body."""
    ada, bob, _ = people
    got: list[tuple[int, str]] = []
    for session_id in (ada.ids["session_id"], never(ada.ids["session_id"])):
        body = {"message": "hello", "session_id": session_id}
        status, answer = await bob.client.call("POST", "/api/chat/agent/stream", body)
        got.append((status, str(answer).replace(session_id, "ID")))
    assert got[0] == got[1]
    assert got[0][0] == 404


@pytest.mark.asyncio(loop_scope="package")
@pytest.mark.parametrize("path", ["/api/sessions", "/api/chat/agent/stream"])
async def test_a_project_of_anothers_cannot_be_worked_in(people: list[Owner], path: str) -> None:
    ada, bob, _ = people
    got: list[tuple[int, str]] = []
    for project_id in (ada.ids["project_id"], never(ada.ids["project_id"])):
        body = {"project_id": project_id} | ({"message": "hello"} if "chat" in path else {})
        status, answer = await bob.client.call("POST", path, body)
        got.append((status, str(answer).replace(project_id, "ID")))
    assert got[0] == got[1]
    assert got[0][0] == 404


@pytest.mark.asyncio(loop_scope="package")
async def test_a_stream_of_anothers_session_cannot_be_followed_nor_its_id_guessed(
    people: list[Owner],
) -> None:
    """As with CVE-2026-31950: whoever had, or guessed, the id of a stream could read it."""
    ada, bob, _ = people
    known = ada.ids["session_id"]
    near = [f"{known[:-1]}{digit}" for digit in "0123456789abcdef"]
    for session_id in (known, *near):
        status, _ = await bob.client.call(
            "GET",
            f"/api/sessions/{session_id}/events",
            headers={"Accept": "text/event-stream"},
        )
        assert status == 404
    first, second = [await ada.post("/api/sessions", {}) for _ in range(2)]
    assert sum(a != b for a, b in zip(first["id"], second["id"], strict=True)) > 8


@pytest.mark.asyncio(loop_scope="package")
async def test_a_ticket_opens_a_socket_of_its_own_person_only_and_once(people: list[Owner]) -> None:
    ada, bob, _ = people
    ticket = (await bob.post("/api/tickets"))["ticket"]
    async with ada.client.session.ws_connect(f"/ws/{ticket}") as socket:  # as whoever stole it
        await socket.send_json({"type": "restore", "ref": 1})
        tabs = (await socket.receive_json())["tabs"]
        assert ada.ids["tab_id"] not in {tab["tab_id"] for tab in tabs}
    async with ada.client.session.get(f"/ws/{ticket}") as response:
        assert response.status >= 400


@pytest.mark.asyncio(loop_scope="package")
async def test_a_cookie_opens_no_door_that_a_token_does_not(
    served: Serving, people: list[Owner]
) -> None:
    """As with CVE-2026-34046 and CVE-2026-45339: the check was there for one way to sign in only."""
    ada = people[0]
    link = served.link
    jar = aiohttp.CookieJar(unsafe=True)  # the server's address is a number
    origin = {"Origin": served.address}
    async with aiohttp.ClientSession(served.address, headers=origin, cookie_jar=jar) as http:
        async with http.post("/api/sign-in", json={"link": link}) as response:
            assert response.status == 200, await response.text()
            http.headers["X-Bottega-Page"] = (await response.json())["page_key"]
        host = Owner("host", type(ada.client)(http), people[2].ids["project_id"], ada.folder)
        for way in OWNED:
            theirs = {name: ada.ids.get(name, "x") for name in way.names}
            assert await told(host, way, theirs) == await told(people[2], way, theirs), way


def test_a_route_without_a_guard_fails_the_build() -> None:
    """As with the access that a rewrite reopened for 48 days: the check itself is checked."""
    router = APIRouter()

    @router.get("/sessions/{session_id}/new")
    async def new(person: Signed, session_id: str) -> None: ...

    assert unguarded(ways_of([router]))
    assert not unguarded(ways_of(routers()))


@pytest.mark.asyncio(loop_scope="package")
async def test_a_crowd_at_one_server_hears_nothing_of_each_other(
    served: Serving, people: list[Owner]
) -> None:
    """As with CVE-2026-25536: one connection served many, and answers went to whoever came last."""
    await asyncio.gather(*(_canary(people[number % 3], number) for number in range(CROWD)))


async def _canary(owner: Owner, number: int) -> None:
    """One of a crowd: says its own words again and again, and hears them and nobody else's."""
    async with wired(owner.client) as wire:
        tab_id, model = fresh(), "guide"
        project_id = owner.ids["project_id"]
        await wire.ask(type="new-tab", tab_id=tab_id, project_id=project_id, model=model)
        for call in range(CALLS):
            message_id = fresh()
            await wire.ask(
                type="prompt",
                tab_id=tab_id,
                message_id=message_id,
                text=f"canary-{number}-{call}",
            )
            await wire.ends(tab_id, message_id)
        heard = msgspec.json.encode(wire.frames).decode()
    assert set(re.findall(r"canary-(\d+)-", heard)) == {str(number)}
    assert {frame.get("tab_id", tab_id) for frame in wire.frames} == {tab_id}


WORST = ["0" * 100_000 + "!", "-" * 100_000, "a" * 100_000 + "\n", "0-" * 50_000, "(" * 100_000]


@pytest.mark.asyncio(loop_scope="package")
async def test_no_pattern_in_a_schema_or_a_frame_takes_long_whatever_it_is_given(
    people: list[Owner],
) -> None:
    """As with CVE-2026-0621: nested repeats, and a text that nearly fits."""
    document = await people[2].client.get("/api/openapi.json")
    patterns = {*_patterns(document), *_patterns(msgspec.json.schema(frames.Typed))}
    assert patterns
    begun = time.process_time()
    for pattern in patterns:
        for text in WORST:
            re.search(pattern, text)
    assert time.process_time() - begun < 0.1 * len(patterns)


def _patterns(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [found for each in schema for found in _patterns(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
    return own + [found for each in schema.values() for found in _patterns(each)]


@pytest.mark.asyncio(loop_scope="package")
@pytest.mark.parametrize(
    "text", ['"' * 500, "((" * 500, "*" * 500, "NEAR(a b, " * 90, "a OR " * 200]
)
async def test_a_search_for_nonsense_is_answered_at_once(people: list[Owner], text: str) -> None:
    async with asyncio.timeout(2):
        status, _ = await people[1].client.call("GET", "/api/search", params={"q": text})
    assert status in (200, 422)


BODIES: list[Any] = [
    b"",
    b"null",
    b"[]",
    b'""',
    b"{}",
    b'{"a": 1}',
    b"{",
    b'{"message_id": null, "content": [], "index": {}, "link": 0, "word": []}',
    b"\xff\xfe",
    b"[" * 10_000,
    b'{"content": "\\ud800"}',
]


@pytest.mark.asyncio(loop_scope="package")
async def test_no_body_ends_the_process_or_is_a_failure_that_nobody_foresaw(
    served: Serving, people: list[Owner]
) -> None:
    """As with CVE-2026-31949: a missing field ended the server for all."""
    host = people[2]
    wrong: list[object] = []
    for way in ways_of(routers()):
        if way.method not in ("POST", "PUT", "PATCH") or way.path == "/api/sign-out":
            continue  # which takes no body, and would end this
        for body in BODIES:
            async with host.client.session.request(
                way.method,
                way.filled({name: never(host.ids.get(name, "x" * 9)) for name in way.names}),
                data=body,
                headers={"Content-Type": "application/json"},
            ) as response:
                if response.status >= 500 and response.status != 503:
                    wrong.append((way, body, await response.text()))
    assert wrong == []
    assert (await host.client.get("/api/me"))["name"]
