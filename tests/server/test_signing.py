"""Signing in, out and with what; over HTTP, at a real server."""

import json
import ssl
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import aiohttp
import pytest

from bottega.client import Remote
from bottega.errors import Misconfigured, Problem
from bottega.reach.problems import Unreachable
from bottega.server.serve import listen
from bottega.storage.serving import FILE, server_of
from tests.server.serving import Serving


def words(cookie: str) -> str:
    return cookie.partition("=")[2].partition(";")[0]


async def test_a_link_signs_a_browser_in_and_signing_out_ends_it(shared: Serving) -> None:
    async with aiohttp.ClientSession(
        shared.address, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:
        link = {"link": shared.link}
        async with session.post("/api/sign-in", json=link) as answer:
            assert answer.status == 200, await answer.text()
            cookie = answer.headers["set-cookie"]
            page_key = (await answer.json())["page_key"]
        parts = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/", "max-age=2592000"} <= parts
        assert "secure" not in parts
        assert not [part for part in parts if part.startswith("domain")]
        carried = {**shared.browser(words(cookie)), "Origin": shared.address}
        assert carried["X-Bottega-Page"] == page_key
        async with session.get("/api/me", headers=carried) as me:
            person = await me.json()
            assert (person["name"], person["is_host"]) == ("host", True)
        async with session.post("/api/sign-in", json=link) as again:
            assert again.status == 403
            assert "people link" in (await again.json())["hint"]
        async with session.post("/api/sign-out", headers=carried) as out:
            assert out.status == 204
            assert "max-age=0" in out.headers["set-cookie"].lower()
        async with session.get("/api/me", headers=carried) as me:
            assert me.status == 401


async def test_passes_are_listed_revoked_and_nobody_elses(shared: Serving) -> None:
    async with shared.client() as host, shared.client(shared.token("Eva")) as eva:
        (eva_s,) = (await eva.get("/api/passes"))["passes"]
        assert (eva_s["kind"], eva_s["is_this"]) == ("token", True)
        mine = (await host.get("/api/passes"))["passes"]
        assert {each["kind"] for each in mine} <= {"token", "link"}
        assert [each["is_this"] for each in mine].count(True) == 1
        assert eva_s["id"] not in {each["id"] for each in mine}
        foreign = await host.call("DELETE", f"/api/passes/{eva_s['id']}")
        nothing = await host.call("DELETE", f"/api/passes/{'pas_' + '0' * 30}")
        assert foreign[0] == nothing[0] == 404
        assert foreign[1]["code"] == nothing[1]["code"] == "not_found"
        assert (await eva.call("DELETE", f"/api/passes/{eva_s['id']}"))[0] == 204
        assert (await eva.call("GET", "/api/me"))[0] == 401
        assert (await host.call("GET", "/api/me"))[0] == 200


def test_a_port_in_use_is_said_with_where_this_home_is_served_already(shared: Serving) -> None:
    port = int(shared.address.rpartition(":")[2])
    with pytest.raises(Misconfigured, match=f"already, at {shared.address}: `bottega people link`"):
        listen("127.0.0.1", port, server_of(shared.home))
    with pytest.raises(Misconfigured, match="--port; 0 takes any that is free"):
        listen("127.0.0.1", port)


async def test_a_token_that_signs_out_is_good_no_longer(shared: Serving) -> None:
    async with shared.client() as client:
        assert (await client.call("POST", "/api/sign-out"))[0] == 204
        assert (await client.call("GET", "/api/me"))[0] == 401


def test_where_the_server_is_stands_in_the_home_while_it_runs(serving: Serving) -> None:
    file = serving.home / FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = server_of(serving.home)
    assert found
    assert (found.address, found.pid) == (serving.address, serving.pid)
    assert serving.stop()[0] == 0
    assert not file.exists()
    serving.start()
    serving.kill()
    assert file.exists()
    assert server_of(serving.home) is None, "what a killed server left is not believed"
    file.write_text("{ torn")
    assert server_of(serving.home) is None


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost, and its key beside it."""
    place = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
            *("-keyout", str(place / "key.pem"), "-out", str(place / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    return place


Trust = Callable[[Serving], aiohttp.ClientSession]


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> Iterator[Serving]:
    """A server with TLS and a base path."""
    place = tmp_path_factory.mktemp("secure")
    (place / "project").mkdir()
    flags = (
        *("--tls-cert", str(certificate / "cert.pem"), "--tls-key", str(certificate / "key.pem")),
        *("--base-path", "/studio/"),
    )
    with Serving(place / "home", place / "project", *flags) as server:
        yield server


@pytest.fixture
def trust(certificate: Path) -> Trust:
    def session(serving: Serving) -> aiohttp.ClientSession:
        known = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
        return aiohttp.ClientSession(
            f"{serving.address}/",
            connector=aiohttp.TCPConnector(ssl=known),
            cookie_jar=aiohttp.CookieJar(unsafe=True),  # keeps cookies of addresses in numbers too
        )

    return session


async def test_with_tls_and_a_base_path_the_cookie_is_secure_and_stays_below_it(
    secure: Serving, trust: Trust
) -> None:
    assert secure.address.startswith("https://127.0.0.1:")
    assert secure.address.endswith("/studio")
    root = secure.address.removesuffix("/studio")
    async with trust(secure) as session:
        link = {"link": secure.link}
        async with session.post("api/sign-in", json=link, headers={"Origin": root}) as answer:
            assert answer.status == 200, await answer.text()
            key = {"X-Bottega-Page": (await answer.json())["page_key"]}
            parts = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
        assert {"secure", "path=/studio", "httponly", "samesite=strict"} <= parts
        async with session.get("api/me", headers=key) as me:
            assert me.status == 200
        for page in (secure.address, f"{secure.address}/"):
            async with session.get(page) as plain:
                text = await plain.text()
                assert '<base href="/studio/" />' in text
                assert '<div id="root">' in text
        for outside in ("/", "/api/me", "/studiox", "/studiox/api/me"):
            async with session.get(f"{root}{outside}") as nothing:
                assert nothing.status == 404, outside
        plain_origin = {"Origin": root.replace("https", "http")}
        async with session.post("api/sign-out", headers=plain_origin) as downgraded:
            assert downgraded.status == 403
        async with session.get("api/openapi.json") as document:
            assert (await document.json())["servers"] == [{"url": "/studio"}]


async def test_a_program_trusts_a_certificate_that_it_is_given_and_no_other(
    secure: Serving, certificate: Path
) -> None:
    async with Remote(secure.address, "no-token", patience=0) as stranger:
        with pytest.raises(Unreachable, match="certificate is not trusted .*ca_file"):
            await stranger.projects()
    ca_file = str(certificate / "cert.pem")
    async with Remote(secure.address, "no-token", patience=0, ca_file=ca_file) as known:
        with pytest.raises(Problem, match="this token is not good here"):
            await known.projects()
    plain = secure.address.replace("/studio", "").replace("127.0.0.1", "name.invalid")
    async with Remote(plain, "no-token", patience=0) as nobody:
        with pytest.raises(Unreachable, match="its name could not be looked up"):
            await nobody.projects()


async def test_nobody_is_believed_to_be_a_proxy_unasked(secure: Serving, trust: Trust) -> None:
    async with trust(secure) as session:
        statuses: list[int] = []
        for n in range(12):
            forged = {"X-Forwarded-For": f"10.0.0.{n}"}
            async with session.post("api/sign-in", json={"link": "x"}, headers=forged) as answer:
                statuses.append(answer.status)
        assert statuses[-1] == 429
        root = secure.address.removesuffix("/studio").replace("https", "http")
        forged = {"X-Forwarded-Proto": "http", "Origin": root}
        async with session.get("api/me", headers=forged) as answer:
            assert answer.status == 403


async def test_problems_tell_nothing_that_was_secret(shared: Serving) -> None:
    async with aiohttp.ClientSession(shared.address) as session:
        canary = "cAnArY-0123456789"
        headers = {"Authorization": f"Bearer {canary}"}
        async with session.get("/api/me", headers=headers) as answer:
            assert canary not in await answer.text()
        async with session.post("/api/sign-in", json={"link": canary}) as answer:
            assert canary not in await answer.text()
        async with session.post("/api/sign-in", json={"link": [canary]}) as answer:
            assert answer.status == 422
            assert canary not in json.dumps(await answer.json())
