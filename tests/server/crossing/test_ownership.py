"""Whose is it? Every route and every frame, as the program itself lists them, with ids of another person.

What is another's must be answered exactly as what never was, and stay as it is. A new route, name or frame that nobody
has thought about fails here.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from bottega.server.app import API, create_app, routers
from bottega.server.house import House, Options
from bottega.server.who import GUARDS, calling, the_host
from bottega.studio import Studio
from tests.server.crossing.belongings import MAKERS, Owner, everything_of, never
from tests.server.serving import Serving

OPEN = {
    ("POST", "/api/sign-in"): "it is how one comes to be somebody; a link proves who",
}
"""Routes that need nobody to be signed in."""

FOR_ALL = {
    "slug": "agents are the home's, for everybody to use; only the host changes them",
    "name": "keys are the home's, and only the host's to touch",
    "worker_id": "workers run everybody's sessions, and only the host may touch them",
}
"""Names in paths of things that belong to nobody in particular."""

OUTSIDE = {
    "/api/openapi.json": "what can be asked for is no secret",
    "/": "a page that says who you are, to yourself",
    "/sessions/{rest:path}": "the same page, whatever is named: what it shows is asked for under /api",
    "/settings": "the same page",
    "/settings/{rest:path}": "the same page",
    "/assets/{name}": "the page's own script and style, the same for all",
    "/{name}.{kind}": "the same",
    "/sign-in": "it is how one comes to be somebody",
    "/reference": "the same as the document",
    "/page.css": "the same for all",
    "/page.js": "the same for all",
    "/icon.svg": "the same for all",
    "/healthz": "for whoever looks after the process; it says that it lives",
    "/readyz": "the same; it names no person and no thing",
    "/metrics": "the host's, or who has the scrapers' token: tried below",
    "/ws/{ticket}": "a ticket is had by somebody who is signed in; its frames are tried in test_frames",
}
"""What is served beside the routes under `/api`, and why nobody need be signed in for it."""

LOOKS = {("GET", "/api/agents/{slug}")}
"""What everybody may see of those."""

BODIES: dict[tuple[str, str], Any] = {
    ("PATCH", "/api/sessions/{session_id}/prompts/{message_id}"): {"content": "mine now"},
    ("PATCH", "/api/projects/{project_id}/shells/{shell_id}"): {"columns": 80, "rows": 24},
}
"""What a route whose last name is checked by itself needs to come that far."""


class Way:
    """One method of one route."""

    def __init__(self, method: str, route: APIRoute) -> None:
        self.method = method
        self.path = API + route.path
        self.names = re.findall(r"{(\w+)[^}]*}", route.path)
        self.asked = {dependant.call for dependant in walk(route.dependant)}

    @property
    def key(self) -> tuple[str, str]:
        return self.method, self.path

    @property
    def is_hosts(self) -> bool:
        return the_host in self.asked

    def filled(self, ids: dict[str, str]) -> str:
        return re.sub(r"{(\w+)[^}]*}", lambda found: ids.get(found[1], "x"), self.path)

    def __repr__(self) -> str:
        return f"{self.method} {self.path}"


def walk(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from walk(each)


def ways_of(given: Iterable[APIRouter]) -> list[Way]:
    return [
        Way(method, route)
        for router in given
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods)
    ]


def unguarded(ways: list[Way]) -> list[Way]:
    """Those whose first name no guard takes; a second one may be checked beneath it by what the route calls."""
    found: list[Way] = []
    for way in ways:
        guarded = {GUARDS[call] for call in way.asked if call in GUARDS}
        mine = [name for name in way.names if name not in FOR_ALL]
        if not set(mine[:1]) <= guarded:
            found.append(way)
    return found


WAYS = ways_of(routers())
OWNED = [way for way in WAYS if set(way.names) - set(FOR_ALL)]


def test_every_route_is_for_somebody_who_is_signed_in_or_open_for_a_reason() -> None:
    assert WAYS
    unasked = {way.key for way in WAYS if calling not in way.asked}
    assert unasked == set(OPEN)


async def test_nothing_is_served_that_is_not_listed_here(home: Path) -> None:
    async with Studio(home) as studio:
        app = create_app(House(studio, b"0" * 32, Options()))
    known = {id(router) for router in routers()}
    found: set[str] = set()
    for route in app.routes:
        router = getattr(route, "original_router", None)
        if id(router) not in known:
            found |= {
                str(getattr(each, "path", each)) for each in (router.routes if router else [route])
            }
    assert found == set(OUTSIDE)


def test_every_name_in_a_path_is_checked_by_a_guard() -> None:
    assert unguarded(WAYS) == []
    named = {name for way in WAYS for name in way.names} - set(FOR_ALL)
    assert named <= set(MAKERS), "tests/server/crossing/belongings.py makes no such thing"


def test_what_belongs_to_nobody_in_particular_is_the_hosts_to_change() -> None:
    for way in WAYS:
        if set(way.names) & set(FOR_ALL) and way.key not in LOOKS:
            assert way.is_hosts or way.asked & set(GUARDS), way


Told = tuple[int, str]


async def told(who: Owner, way: Way, ids: dict[str, str]) -> Told:
    """The answer, without the ids in it."""
    body = BODIES.get(way.key, {}) if way.method not in ("GET", "DELETE") else None
    async with (
        asyncio.timeout(10),  # a stream that begins is an answer that must not be
        who.client.session.request(way.method, way.filled(ids), json=body) as response,
    ):
        text = (await response.read()).decode(errors="replace")
    for each in ids.values():
        text = text.replace(each, "ID")
    return response.status, text


@pytest.mark.asyncio(loop_scope="package")
@pytest.mark.parametrize("intruder", [1, 2], ids=["member", "host"])
async def test_what_is_anothers_is_answered_on_every_route_as_what_never_was(
    served: Serving, people: list[Owner], intruder: int
) -> None:
    ada, other = people[0], people[intruder]
    before = everything_of(ada, served.home)
    wrong: list[object] = []
    for way in OWNED:
        theirs = {name: ada.ids.get(name, "x") for name in way.names}
        got = await told(other, way, theirs)
        expected = await told(other, way, {name: never(each) for name, each in theirs.items()})
        hidden = got[0] in ((403, 404) if way.is_hosts else (404,))
        if got != expected or not hidden or ada.word in got[1]:
            wrong.append((way, got, expected))
    assert wrong == []
    assert everything_of(ada, served.home) == before


@pytest.mark.asyncio(loop_scope="package")
async def test_anothers_child_of_my_own_parent_is_answered_as_what_never_was(
    served: Serving, people: list[Owner]
) -> None:
    ada, bob, _ = people
    before = everything_of(ada, served.home)
    nested = [way for way in OWNED if len(way.names) > 1]
    assert nested
    wrong: list[object] = []
    for way in nested:
        parent, child = way.names
        theirs = {parent: bob.ids[parent], child: ada.ids[child]}
        got = await told(bob, way, theirs)
        expected = await told(bob, way, {**theirs, child: never(ada.ids[child])})
        if got != expected or got[0] != 404:
            wrong.append((way, got, expected))
    assert wrong == []
    assert everything_of(ada, served.home) == before


@pytest.mark.asyncio(loop_scope="package")
async def test_what_lists_things_lists_only_ones_own(people: list[Owner]) -> None:
    ada, bob, _ = people
    listing = [way for way in WAYS if way.method == "GET" and not way.names and not way.is_hosts]
    for way in listing:
        _, text = await told(bob, way, {})
        assert [each for each in (ada.word, *ada.ids.values()) if each in text] == [], way


@pytest.mark.asyncio(loop_scope="package")
async def test_a_member_is_refused_whatever_is_the_hosts_alone(people: list[Owner]) -> None:
    assert (await people[1].client.call("GET", "/metrics"))[0] == 403
    assert (await people[2].client.call("GET", "/metrics"))[0] == 200
    hosts = [way for way in WAYS if way.is_hosts]
    assert hosts
    got = {way: await told(people[1], way, people[1].ids) for way in hosts}
    assert {way: each for way, each in got.items() if each[0] != 403} == {}
