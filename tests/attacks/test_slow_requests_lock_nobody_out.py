"""Severity: high (H5, its kind). Requests that come, or are read, as slowly as one likes lock nobody out."""

import asyncio
import http.client
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.attacks.hostile import Person, Target, target
from tests.attacks.test_who_does_not_read_holds_nobody_up import connected, largest

HELD = 70
"""Slow requests of each kind, from each address."""
ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
AT_ONCE = 1.0
"""Seconds in which others are answered, on a machine that is used by others as well."""
PEOPLE = ("guest", "eve")
EACH = 500
"""Requests that each of those people holds."""

pytestmark = pytest.mark.usefixtures("many_descriptors")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("slow")) as started:
        for name in PEOPLE:
            started.token(name)
        yield started


def begun(server: Target, asked: str, *headers: str) -> bytes:
    """A request of whose body one byte of a thousand comes."""
    host = server.address.removeprefix("http://")
    kind = "Content-Type: application/json"
    lines = (f"{asked} HTTP/1.1", f"Host: {host}", kind, "Content-Length: 1000", *headers)
    return "\r\n".join((*lines, "", "{")).encode()


def unread(server: Target) -> bytes:
    host = server.address.removeprefix("http://")
    return f"GET /assets/{largest()} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def new_link(server: Target) -> str:
    """A sign-in link, made as the owner at this machine would."""

    async def make() -> str:
        database = Database.open(Home(server.home), MIGRATIONS)
        try:
            passes = Passes(database, secret(server.home))
            return await passes.give(People(database).named("guest"), "link")
        finally:
            database.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, make()).result()


def timed(server: Target, method: str, path: str, body: Any = None) -> tuple[float, int]:
    """How long a stranger waits for an answer, and its status."""
    place = urlsplit(server.address)
    wire = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    sent = None if body is None else json.dumps(body).encode()
    began = time.monotonic()
    try:
        wire.request(method, path, sent, {"Content-Type": "application/json"})
        answer = wire.getresponse()
        answer.read()
        return time.monotonic() - began, answer.status
    finally:
        wire.close()


@pytest.mark.parametrize("way", ["nowhere", "sign-in", "page", "probe", "unread"])
def test_a_strangers_slow_requests_keep_nobody_from_signing_in(server: Target, way: str) -> None:
    opening = {
        "nowhere": begun(server, "POST /x"),
        "sign-in": begun(server, "POST /api/sign-in"),
        "page": begun(server, "GET /sign-in"),
        "probe": begun(server, "POST /healthz"),
        "unread": unread(server),
    }[way]
    link = new_link(server)
    with ExitStack() as stack:
        for address in ADDRESSES:
            for _ in range(HELD):
                if wire := connected(server, address, opening):
                    stack.enter_context(wire)
        for method, path, body in (
            ("GET", "/sign-in", None),
            ("GET", f"/assets/{largest()}", None),
            ("POST", "/api/sign-in", {"link": link}),
        ):
            took, status = timed(server, method, path, body)
            assert status == 200, (method, path)
            assert took < AT_ONCE, (method, path)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("POST /x", 405),
        ("PUT /", 405),
        ("DELETE /healthz", 405),
        ("OPTIONS /sign-in", 405),
        ("GET /sign-in", 413),
        ("HEAD /", 413),
        ("GET /healthz", 413),
        ("GET /api/openapi.json", 413),
    ],
)
def test_a_strangers_body_is_not_waited_for(server: Target, asked: str, status: int) -> None:
    began = time.monotonic()
    with connected(server, "127.0.0.5", begun(server, asked)) or socket.socket() as wire:
        assert int(wire.recv(1000).split()[1]) == status
    assert time.monotonic() - began < AT_ONCE


def test_two_people_who_hold_all_that_they_may_lock_out_nobody(server: Target) -> None:
    with ExitStack() as stack:
        host = stack.enter_context(Person(server))
        for name in PEOPLE:
            token = f"Authorization: Bearer {server.token(name)}"
            opening = begun(server, "POST /api/sessions", token)
            for n in range(EACH):
                if wire := connected(server, "127.0.0.1", opening):
                    stack.enter_context(wire)
                if n % 50 == 0:
                    served(host)  # all that came before was heard
            with Person(server, name) as greedy:
                assert greedy.call("GET", "/api/me")[0] == 503
        for _ in range(5):
            served(host)


def served(person: Person) -> None:
    for path in ("/api/me", "/api/sessions"):
        took, status, answer = person.timed("GET", path)
        assert status == 200, answer
        assert took < AT_ONCE, path
