"""Severity: high (H5, its kind). A body with very many fields or elements is refused before anybody decodes it."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest

from bottega.messages.json_size import fault_of
from bottega.server.guard.bodies import MOST_BODY, USUAL, limit_of
from tests.attacks.hostile import Person, Target, target

QUICK = 0.4
"""Seconds in which others are answered, on a machine that is used by others as well."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("crowded")) as started:
        started.token("guest")
        yield started


@pytest.fixture(scope="module")
def document(server: Target) -> dict[str, Any]:
    with Person(server) as host:
        return host.call("GET", "/api/openapi.json")[1]


def routes(document: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Every route that takes JSON, with its schema."""
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            content = route.get("requestBody", {}).get("content", {})
            if "application/json" in content:
                yield method.upper(), path, content["application/json"]["schema"]


class Watch:
    """Somebody who asks for a small thing all the time, and how long that took at worst."""

    def __init__(self, server: Target, name: str = "host") -> None:
        self._server = server
        self._name = name
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.worst = 0.0

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        time.sleep(0.05)
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        with Person(self._server, self._name) as other:
            while not self._done.is_set():
                self.worst = max(self.worst, other.timed("GET", "/api/me")[0])
                time.sleep(0.01)


def fields(count: int) -> bytes:
    return json.dumps({f"a{n}": 1 for n in range(count)}).encode()


def post(server: Target, path: str, body: bytes, *headers: str, address: str = "127.0.0.1") -> int:
    """The status that a body is answered with; 0: it was cut off while it was sent."""
    place = urlsplit(server.address)
    start = (f"POST {path} HTTP/1.1", f"Host: {place.netloc}", f"Content-Length: {len(body)}")
    lines = (*start, "Content-Type: application/json", *headers, "", "")
    with socket.socket() as wire, suppress(OSError):
        wire.settimeout(20)
        wire.bind((address, 0))
        wire.connect((place.hostname, place.port))
        with suppress(OSError):
            wire.sendall("\r\n".join(lines).encode() + body)
        return int(wire.recv(100).split()[1])
    return 0


@pytest.mark.parametrize("count", [70_000, 5_000, 1_500])
def test_strangers_freeze_nothing_with_the_fields_of_a_sign_in(server: Target, count: int) -> None:
    body = fields(count)
    addresses = [f"127.0.{count % 250}.{n}" for n in (1, 2, 3) for _ in range(8)]

    def sign_in(address: str) -> int:
        return post(server, "/api/sign-in", body, address=address)

    with Watch(server) as other, ThreadPoolExecutor(24) as many:
        answers = set(many.map(sign_in, addresses))
    assert answers <= {413, 429, 0}
    assert other.worst < QUICK, server.stalls()


@pytest.mark.parametrize("kind", ["fields", "elements", "few fields", "nested"])
def test_no_route_decodes_a_crowded_body(
    server: Target, document: dict[str, Any], kind: str
) -> None:
    body = {
        "fields": fields(70_000),
        "elements": b'{"content":"x","schema":{"a":[' + b"1e9," * 240_000 + b"1]}}",
        "few fields": fields(5_000),
        "nested": b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    }[kind]
    with Watch(server) as other:
        for method, path, _ in routes(document):
            if path == "/api/sign-in":
                continue  # which may be tried a few times only
            with Person(server, "guest") as guest, suppress(ConnectionError):
                took, status, answer = guest.timed(
                    method, path.replace("{", "").replace("}", ""), body
                )
                assert status in (413, 422, 404, 403), (method, path, answer)
                assert took < QUICK, (method, path)
    assert other.worst < QUICK, server.stalls()


def test_hundreds_of_the_largest_bodies_hold_nobody_up(server: Target) -> None:
    token = f"Authorization: Bearer {server.token('guest')}"
    schema = {f"a{n}": n for n in range(9_000)}
    prompt = {
        "message_id": "00000000-0000-4000-8000-000000000000",
        "content": "x",
        "schema": schema,
    }
    body = json.dumps(prompt).encode()
    with Watch(server) as other, ThreadPoolExecutor(60) as many:
        path = "/api/sessions/nothing/prompts"
        answers = set(many.map(lambda _: post(server, path, body, token), range(150)))
    assert answers == {404}
    assert other.worst < QUICK, server.stalls()


def test_a_body_may_be_long_where_a_route_takes_long_things_and_nowhere_else(
    document: dict[str, Any],
) -> None:
    shapes = document["components"]["schemas"]

    def takes_long(schema: Any) -> bool:
        if "$ref" in schema:
            return takes_long(shapes[schema["$ref"].rpartition("/")[2]])
        parts = [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())]
        parts += schema.get("properties", {}).values()
        is_free = bool(schema.get("additionalProperties")) and "maxProperties" not in schema
        is_long = schema.get("maxLength", 0) > USUAL or schema.get("maxItems", 0) >= 1000
        items = schema.get("items")
        return is_free or is_long or any(map(takes_long, [*parts, *([items] if items else [])]))

    large = {(m, p) for m, p, schema in routes(document) if takes_long(schema)}
    listed = {(m, p) for m, p, _ in routes(document) if limit_of(m, p).size == MOST_BODY}
    assert large == listed
    assert limit_of("POST", "/api/sign-in").size == 2000


def test_what_stands_in_strings_counts_for_nothing() -> None:
    assert fault_of(json.dumps({"content": '[{,:"\\' * 100_000}).encode(), 10) == ""
    assert fault_of(json.dumps({"a\\": '\\",', "b": ['"', "\\\\"]}).encode() * 5, 30) == ""
    assert fault_of(b'{"a":"\\\\","b":[' + b"1," * 300 + b"1]}", 250) == "members"
    assert fault_of(b'["\\"",' + b'"","",' * 300 + b"1]", 250) == "members"
    assert fault_of(json.dumps(["\\", *range(50)]).encode("utf-16"), 10) == "encoding"
    assert fault_of(b"[" * 201 + b"]" * 201, 1000) == "depth"
    assert fault_of(b"[" * 200 + b"]" * 200, 1000) == ""
