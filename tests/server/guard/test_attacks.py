"""Published attacks on servers of this kind, tried on a real one: by name, by site, by carrier, by body."""

import ast
import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import bottega.server
from tests.server.guard.raw import raw
from tests.server.serving import Serving

CHANGING = ("POST", "PUT", "PATCH", "DELETE")


class Signed:
    """A browser of the host: the cookie is sent as a browser would."""

    def __init__(self, serving: Serving, session: aiohttp.ClientSession) -> None:
        self.serving = serving
        self.session = session
        self.cookie = ""

    async def call(self, method: str, path: str, **headers: str) -> tuple[int, Any]:
        carried = {**self.serving.browser(self.cookie), **headers}
        async with self.session.request(method, path, headers=carried) as response:
            text = await response.text()
            return response.status, json.loads(text) if text else None


@pytest.fixture(scope="module")
def cookie(shared: Serving) -> str:
    """What the sign-in link of the start is exchanged for."""
    body = json.dumps({"link": shared.link}).encode()
    status, received = raw(
        shared,
        "POST /api/sign-in HTTP/1.1",
        f"Host: {host(shared)}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        body=body,
    )
    assert status == 200, received
    return received.partition(b"set-cookie: ")[2].partition(b"=")[2].partition(b";")[0].decode()


@pytest.fixture
async def browser(shared: Serving, cookie: str) -> Any:
    async with aiohttp.ClientSession(
        shared.address, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:
        signed = Signed(shared, session)
        signed.cookie = cookie
        yield signed


def routes(serving: Serving) -> list[tuple[str, str]]:
    """Every route that the server tells of, and its pages and sockets, with an id in each name."""
    _, received = raw(serving, "GET /api/openapi.json HTTP/1.1", f"Host: {host(serving)}")
    document = json.loads(received.partition(b"\r\n\r\n")[2])
    told = [
        (method.upper(), path.replace("{", "").replace("}", ""))
        for path, methods in document["paths"].items()
        for method in methods
    ]
    return [*told, *(("GET", path) for path in ("/", "/sign-in", "/reference", "/page.js"))]


def host(serving: Serving) -> str:
    return serving.address.removeprefix("http://")


def test_a_name_that_leads_here_by_dns_gets_nothing_on_any_route(shared: Serving) -> None:
    for method, path in routes(shared):
        status, received = raw(shared, f"{method} {path} HTTP/1.1", "Host: evil.example:8448")
        assert status == 421, (method, path)
        assert b"wrong_host" in received


@pytest.mark.parametrize("lines", [["Host: evil.example"], [], ["Host:"], ["Host: a", "Host: b"]])
def test_a_socket_or_a_request_without_our_name_gets_nothing(
    shared: Serving, lines: list[str]
) -> None:
    upgrade = (
        *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )
    assert raw(shared, "GET / HTTP/1.1", *lines)[0] in (400, 421)
    assert raw(shared, "GET / HTTP/1.0", *lines)[0] in (400, 421)
    with_upgrade = raw(shared, "GET /ws/x HTTP/1.1", *lines, *upgrade)
    assert with_upgrade[0] in (400, 421)


@pytest.mark.parametrize("origin", ["http://localhost:1", "null"])
async def test_another_sites_page_changes_nothing_on_any_route(
    shared: Serving, browser: Signed, origin: str
) -> None:
    for method, path in routes(shared):
        status, problem = await browser.call(method, path, Origin=origin)
        assert (status, problem["code"]) == (403, "another_site"), (method, path)
    assert (await browser.call("GET", "/api/me"))[0] == 200


async def test_the_cookie_alone_changes_nothing(shared: Serving, browser: Signed) -> None:
    for method, path in routes(shared):
        if method in CHANGING:
            assert (await browser.call(method, path))[0] == 403, (method, path)
    assert (await browser.call("POST", "/api/sign-out"))[0] == 403
    for site in ("cross-site", "same-site", "none"):
        assert (await browser.call("POST", "/api/sign-out", **{"Sec-Fetch-Site": site}))[0] == 403
    for site in ("cross-site", "same-site"):
        asked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
        assert (await browser.call("GET", "/api/me", **asked))[0] == 403
    own = {"Sec-Fetch-Site": "same-origin"}
    assert (await browser.call("DELETE", "/api/passes/none", **own))[0] == 404
    assert (await browser.call("DELETE", "/api/passes/none", Origin=shared.address))[0] == 404


async def test_a_ticket_opens_a_socket_for_our_own_pages_alone(shared: Serving) -> None:
    async with shared.client() as client:
        ticket = (await client.post("/api/tickets"))["ticket"]
        for refused in ("http://evil.example", "null", "http://127.0.0.1:1"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as seen:
                await client.session.ws_connect(f"/ws/{ticket}", origin=refused)
            assert seen.value.status == 403
        async with client.session.ws_connect(f"/ws/{ticket}", origin=shared.address) as socket:
            await socket.send_json({"type": "ping"})
            assert (await socket.receive_json())["type"] == "pong"


async def test_no_answer_lets_another_sites_page_read_it(shared: Serving, browser: Signed) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    async with browser.session.options("/api/sessions", headers=asked) as preflight:
        assert preflight.status == 403
        assert not [name for name in preflight.headers if name.lower().startswith("access-control")]


async def test_every_answer_is_dressed(shared: Serving, browser: Signed) -> None:
    for path in ("/", "/page.css", "/api/me", "/nowhere", "/api/nowhere", "/api/openapi.json"):
        async with browser.session.get(path) as answer:
            told = answer.headers
        assert told["x-content-type-options"] == "nosniff", path
        assert told["referrer-policy"] == "no-referrer"
        assert told["cross-origin-opener-policy"] == "same-origin"
        assert told["cross-origin-resource-policy"] == "same-origin"
        policy = told["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "server" not in told
        if path.startswith("/api/"):
            assert told["cache-control"] == "no-store"


async def test_every_carrier_is_judged_alike(shared: Serving, cookie: str) -> None:
    """A pass is good in its own carrier, and another's in none; nothing but these two carries one."""
    token = shared.token()
    async with aiohttp.ClientSession(
        shared.address, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:

        async def status(path: str = "/api/me", **headers: str) -> int:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            async with session.get(path, headers=named) as response:
                return response.status

        assert await status(authorization=f"Bearer {token}") == 200
        assert await status(authorization=f"bearer {token}") == 200
        page = shared.browser(cookie)
        name, key = page["Cookie"].partition("=")[0], page["X-Bottega-Page"]
        assert await status(cookie=f"x=1; {name}={cookie}", x_bottega_page=key) == 200
        refused: list[dict[str, str]] = [
            {},
            {"authorization": f"Bearer {cookie}"},
            {"cookie": f"{name}={token}", "x_bottega_page": key},
            {"cookie": f"{name}={cookie}"},
            {"cookie": f"{name}={cookie}", "x_bottega_page": ""},
            {"cookie": f"{name}={cookie}", "x_bottega_page": "0" * 64},
            {"x_bottega_page": key},
            {"authorization": token},
            {"authorization": f"Basic {token}"},
            {"authorization": "Bearer"},
            {"authorization": "Bearer null"},
            {"authorization": "Bearer []"},
            {"cookie": f"{name}=", "x_bottega_page": key},
            {"cookie": f"{name.title()}={cookie}", "x_bottega_page": key},
            {"cookie": f"x{name}={cookie}", "x_bottega_page": key},
            {"x_api_key": token},
            {"x_forwarded_user": "host"},
            {"authorization": "Bearer wrong", "cookie": f"{name}={cookie}", "x_bottega_page": key},
        ]
        assert [await status(**each) for each in refused] == [401] * len(refused)
        assert await status(f"/api/me?token={token}&access_token={token}") == 401


async def test_a_body_is_not_read_before_it_is_known_who_sends_it(shared: Serving) -> None:
    """The answer comes while the body is still missing."""
    for path in ("/api/sessions", "/api/passes/x", "/api/nowhere"):
        lines = (f"POST {path} HTTP/1.1", f"Host: {host(shared)}", "Content-Length: 1000")
        assert raw(shared, *lines)[0] == 401, path


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b"{",
            b"[]",
            b"null",
            b'"x"',
            b"{}",
            b'{"link": null}',
            b'{"link": ""}',
            b"\xff\xfe",
        ),
        *(b'{"link": ["x"]}', b'{"link": 0}', b'{"link": true}', b'{"link": {"$ne": ""}}'),
        b'{"link": "x", "person": "host"}',
        b'{"link": "' + b"x" * 201 + b'"}',
        b'{"link": "\\ud800"}',
        b'{"\\ud800": 1, "link": "x"}',
        b"[" * 15,
        b'{"link":' * 6 + b"1" + b"}" * 6,
        b'{"link": "x", "' + b"k" * 1500 + b'": 1}',
        b'{"link": "\\u0000"}',
    ],
)
async def test_a_body_that_is_no_sign_in_is_refused_with_a_sentence(
    signing: Serving, body: bytes
) -> None:
    status, received = raw(
        signing,
        "POST /api/sign-in HTTP/1.1",
        f"Host: {host(signing)}",
        "Content-Type: application/json",
        f"X-Forwarded-For: 10.1.{len(body) % 250}.{sum(body) % 250}",
        f"Content-Length: {len(body)}",
        body=body,
    )
    problem = json.loads(received.partition(b"\r\n\r\n")[2])
    expected = 403 if b"u0000" in body else 413 if len(body) > 2000 else 422
    assert (status, problem["status"]) == (expected, expected), problem
    assert problem["detail"].endswith(".")
    assert len(received) < 3000


@pytest.fixture(scope="module")
def signing(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server behind a proxy, which is this test: every try to sign in may come from another address."""
    place = tmp_path_factory.mktemp("signing")
    (place / "project").mkdir()
    flags = ("--trust-proxy", "127.0.0.1", "--allow-host", "studio.example")
    with Serving(place / "home", place / "project", *flags) as server:
        yield server


PROXIED = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "studio.example",
    "Origin": "https://studio.example",
}


async def test_guessing_links_is_slowed_down_and_others_are_not(signing: Serving) -> None:
    async with aiohttp.ClientSession(signing.address) as session:

        async def tried(address: str) -> tuple[int, str]:
            async with session.post(
                "/api/sign-in", json={"link": "guess"}, headers={"X-Forwarded-For": address}
            ) as response:
                return response.status, response.headers.get("retry-after", "")

        tries = [await tried("203.0.113.5") for _ in range(14)]
        assert [status for status, _ in tries[:10]] == [403] * 10
        assert tries[-1][0] == 429
        assert 1 <= int(tries[-1][1]) <= 6
        assert (await tried("203.0.113.6"))[0] == 403
        assert (await tried("203.0.113.5, 203.0.113.7"))[0] == 403


async def test_of_fifty_browsers_that_open_a_link_at_once_one_is_signed_in(
    signing: Serving,
) -> None:
    async with aiohttp.ClientSession(signing.address) as session:

        async def opened(n: int) -> tuple[int, str]:
            async with session.post(
                "/api/sign-in",
                json={"link": signing.link},
                headers={**PROXIED, "X-Forwarded-For": f"198.51.100.{n}"},
            ) as response:
                return response.status, response.headers.get("set-cookie", "")

        answers = await asyncio.gather(*(opened(n) for n in range(50)))
    assert sorted(status for status, _ in answers) == [200] + [403] * 49
    (cookie,) = [cookie for _, cookie in answers if cookie]
    assert "secure" in cookie.lower(), "the proxy has TLS"


async def test_a_trusted_proxy_does_not_make_every_name_ours(signing: Serving) -> None:
    async with aiohttp.ClientSession(signing.address) as session:
        for name, status in (("studio.example", 200), ("evil.example", 421)):
            said = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": name}
            async with session.get("/", headers=said) as answer:
                assert answer.status == status


def test_nothing_of_the_server_runs_text_as_code() -> None:
    names = {"eval", "exec", "compile", "__import__"}
    modules = {"pickle", "marshal", "shelve"}
    sources = list(Path(bottega.server.__file__).parent.rglob("*.py"))
    assert len(sources) > 10
    for source in sources:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in names, source
            if isinstance(node, ast.Import | ast.ImportFrom):
                named = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not named & modules, source
