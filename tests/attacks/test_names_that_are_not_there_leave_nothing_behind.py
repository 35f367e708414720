"""Severity: high (H6) and medium (M9). What strangers may ask for is a small table of bytes that are made once."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.attacks.hostile import Person, Target

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def server(attacked_by_all: Target) -> Target:
    attacked_by_all.lines.clear()
    return attacked_by_all


@pytest.fixture
def stranger(server: Target) -> Iterator[HTTPConnection]:
    place = urlsplit(server.address)
    wire = HTTPConnection(place.hostname or "", place.port, timeout=20)
    yield wire
    wire.close()


def asked(wire: HTTPConnection, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    wire.request("GET", path, headers=headers)
    answer = wire.getresponse()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


@pytest.mark.parametrize("form", ["/assets/{}.js", "/{}.js", "/{}.css", "/sessions/{}", "/api/{}"])
def test_asking_for_a_thousand_long_names_keeps_none_of_them(
    server: Target, stranger: HTTPConnection, form: str
) -> None:
    with Person(server) as host:  # whose rate is higher; the table is the same
        for n in range(20):
            host.call("GET", form.format(f"w{n}"))
        before = server.rss()
        for n in range(200):
            host.call("GET", form.format(f"{n}" + "x" * 50_000))
    assert server.rss() - before < 4 * MEGABYTE
    assert asked(stranger, form.format("nothing"))[0] in (200, 401, 404)


@pytest.mark.parametrize(
    "name",
    ["../pages.py", "..%2fpages.py", "assets/../../pages.py", "made-of", "index.html", "%00.js"],
)
def test_no_other_file_is_reached_by_any_name(stranger: HTTPConnection, name: str) -> None:
    for path in (f"/{name}", f"/assets/{name}"):
        assert asked(stranger, path)[0] in (400, 404)


def test_the_document_is_made_once_and_known_by_its_tag(
    server: Target, stranger: HTTPConnection
) -> None:
    status, headers, body = asked(stranger, "/api/openapi.json")
    assert status == 200
    status, again, nothing = asked(
        stranger, "/api/openapi.json", **{"If-None-Match": headers["etag"]}
    )
    assert (status, nothing, again["etag"]) == (304, b"", headers["etag"])
    assert asked(stranger, "/api/openapi.json")[2] == body
    server.lines.clear()
    took: list[float] = []
    for _ in range(60):
        begun = time.monotonic()
        asked(stranger, "/api/openapi.json")
        took.append(time.monotonic() - begun)
    assert server.stalls() == []
    assert statistics.median(took) < 0.01


@pytest.mark.parametrize(
    "path", ["/reference", "/sign-in", "/", "/page.js", "/healthz", "/readyz", "/metrics"]
)
async def test_whatever_strangers_may_have_is_cheap(server: Target, path: str) -> None:
    def spent() -> float:
        with open(f"/proc/{server.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    place = urlsplit(server.address)
    wire = HTTPConnection(place.hostname or "", place.port, timeout=20)
    asked(wire, path)
    before = spent()
    for _ in range(40):
        await asyncio.to_thread(asked, wire, path)
    wire.close()
    assert (spent() - before) / 40 < 0.008
