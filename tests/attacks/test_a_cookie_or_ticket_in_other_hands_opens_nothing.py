"""Severity: low (L8, L10, L12). Tickets of revoked passes, headers said twice, a cookie that another port has."""

import asyncio
import http.client
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest

from tests.attacks.hostile import Person, Target, target


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("proofs")) as started:
        yield started


def status(server: Target, path: str, *headers: tuple[str, str], method: str = "GET") -> int:
    """What a request with exactly these headers is answered with."""
    place = urlsplit(server.address)
    wire = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    try:
        wire.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if not any(name.lower() == "host" for name, _ in headers):
            wire.putheader("Host", place.netloc)
        for name, value in headers:
            wire.putheader(name, value)
        wire.endheaders()
        return wire.getresponse().status
    finally:
        wire.close()


def test_a_ticket_had_before_its_pass_was_revoked_opens_no_socket(server: Target) -> None:
    async def tried() -> int:
        token = server.token("eva")
        async with server.client(token) as eva:
            ticket = (await eva.post("/api/tickets"))["ticket"]
            spare = (await eva.post("/api/tickets"))["ticket"]
            assert (await eva.call("POST", "/api/sign-out"))[0] == 204
        async with aiohttp.ClientSession(server.address) as session:
            async with session.get(f"/api/me?ticket={spare}") as me:
                assert me.status == 401
            try:
                async with session.ws_connect(f"/ws/{ticket}"):
                    return 101
            except aiohttp.WSServerHandshakeError as refused:
                return refused.status

    assert asyncio.run(tried()) == 401


def twice(server: Target) -> dict[str, list[tuple[str, str]]]:
    own, token = server.address, f"Bearer {server.token()}"
    host = urlsplit(server.address).netloc
    signed = ("Authorization", token)
    cookie = server.browser()["Cookie"]
    return {
        "origin": [signed, ("Origin", "http://evil.example"), ("Origin", own)],
        "host": [signed, ("Host", "evil.example"), ("Host", host)],
        "authorization": [("Authorization", "Bearer x"), signed],
        "cookie": [signed, ("Cookie", "a=b"), ("Cookie", "c=d")],
        "our cookie": [signed, ("Cookie", f"{cookie}; {cookie}")],
        "length": [signed, ("Content-Length", "0"), ("Content-Length", "5")],
        "fetch": [signed, ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
    }


@pytest.mark.parametrize(
    "name", ["origin", "host", "authorization", "cookie", "our cookie", "length", "fetch"]
)
def test_a_request_that_says_one_thing_twice_is_refused(server: Target, name: str) -> None:
    assert status(server, "/api/me", ("Authorization", f"Bearer {server.token()}")) == 200
    assert status(server, "/api/me", *twice(server)[name]) in (400, 421)


class Neighbour(BaseHTTPRequestHandler):
    """A server on another port of the same host, which a browser sends the cookie to as well."""

    seen: list[str] = []

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Cookie", ""))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_cookie_that_a_neighbouring_port_was_sent_is_worth_nothing_there(server: Target) -> None:
    neighbour = HTTPServer(("127.0.0.1", 0), Neighbour)
    page = server.browser()
    wire = http.client.HTTPConnection("127.0.0.1", neighbour.server_port)
    wire.request("GET", "/", headers={"Cookie": page["Cookie"]})
    neighbour.handle_request()
    wire.close()
    neighbour.server_close()
    stolen = Neighbour.seen[-1]
    with Person(server) as host:
        document = host.call("GET", "/api/openapi.json")[1]
    ours = (("Cookie", stolen), ("Origin", server.address), ("Sec-Fetch-Site", "same-origin"))
    forged = ("X-Bottega-Page", "0" * 64)
    for path, methods in document["paths"].items():
        if path in ("/api/sign-in", "/healthz", "/readyz"):  # open to all
            continue
        filled = path.replace("{", "").replace("}", "")
        for method in methods:
            assert status(server, filled, *ours, method=method.upper()) == 401, path
    assert status(server, "/api/me", *ours, forged) == 401
    assert status(server, "/metrics", *ours) == 401
    assert status(server, "/api/me?ticket=none", *ours) == 401
    good = (("Cookie", page["Cookie"]), ("X-Bottega-Page", page["X-Bottega-Page"]))
    assert status(server, "/api/me", *good) == 200


def test_a_download_has_a_ticket_that_is_good_once(server: Target) -> None:
    with Person(server) as host:
        session = host.session()
        ticket = host.call("POST", "/api/tickets")[1]["ticket"]
    path = f"/api/sessions/{session}/export?format=md&ticket={ticket}"
    assert status(server, path, method="POST") in (401, 405)
    assert status(server, path) == 200
    assert status(server, path) == 401
