"""Proxies, certificates and the pool of connections, for real."""

import asyncio
import gc
import subprocess
import sys
from pathlib import Path

import pytest

from bottega.providers.http.connect import Transport
from bottega.providers.provider import Failed
from tests.providers import certificates
from tests.providers.loopback import Gate, Reply, proxying, serving
from tests.providers.plain import Caller, answer, line, text_of

HELLO = Reply(answer("Hello"))


def _port(url: str) -> int:
    return int(url.rpartition(":")[2])


async def test_plain_requests_go_through_the_proxy() -> None:
    async with serving(HELLO) as server, proxying(_port(server.url)) as proxy:
        transport = Transport(proxies={"http": proxy.url})
        events = await Caller(transport, "http://provider.test/v1").ask()
        await transport.close()
    assert text_of(events) == "Hello"
    assert proxy.requests == ["POST http://provider.test/v1/say HTTP/1.1"]
    assert server.requests[0].path == "/v1/say"


async def test_requests_over_tls_go_through_a_tunnel(tmp_path: Path) -> None:
    authority, tls = certificates.make(tmp_path)
    async with serving(HELLO, tls=tls) as server, proxying(_port(server.url)) as proxy:
        transport = Transport(ca_file=str(authority), proxies={"https": proxy.url})
        events = await Caller(transport, "https://provider.test").ask()
        await transport.close()
    assert text_of(events) == "Hello"
    assert proxy.requests == ["CONNECT provider.test:443 HTTP/1.1"]


async def test_an_exempt_host_is_reached_directly() -> None:
    async with serving(HELLO) as server, proxying(_port(server.url)) as proxy:
        transport = Transport(proxies={"http": proxy.url, "no": "127.0.0.0/8"})
        await Caller(transport, server.url).ask()
        await transport.close()
    assert proxy.requests == []


async def test_the_environments_proxy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:3129")
    monkeypatch.setenv("NO_PROXY", "inner.test")
    transport = Transport()
    assert transport.proxy("http://host.test/") == "http://proxy.test:3128"
    assert transport.proxy("https://host.test/") == "http://proxy.test:3129"
    assert transport.proxy("https://a.inner.test/") == ""


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_wants_a_login_is_said(scheme: str) -> None:
    async with serving(HELLO) as server, proxying(_port(server.url), login="x") as proxy:
        transport = Transport(proxies={scheme: proxy.url})
        failed = await Caller(transport, f"{scheme}://provider.test").fail()
        await transport.close()
    assert "407" in failed.message
    assert proxy.url in failed.message
    assert "user:password@host:port" in failed.hint
    assert server.requests == []


@pytest.mark.parametrize(("status", "again"), [(403, False), (502, True)])
async def test_a_proxy_that_opens_no_tunnel_is_said(status: int, again: bool) -> None:
    async with proxying(1, refuse=status) as proxy:
        transport = Transport(proxies={"https": proxy.url})
        failed = await Caller(transport, "https://provider.test", attempts=1).fail()
        await transport.close()
    assert f"(HTTP status {status})" in failed.message
    assert "NO_PROXY" in failed.hint
    assert failed.retryable is again


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_proxys_login_is_given_to_the_proxy_only(scheme: str, tmp_path: Path) -> None:
    authority, tls = certificates.make(tmp_path)
    async with (
        serving(HELLO, tls=tls if scheme == "https" else None) as server,
        proxying(_port(server.url), login="x") as proxy,
    ):
        url = proxy.url.replace("://", "://ann:secret-canary@")
        transport = Transport(ca_file=str(authority), proxies={scheme: url})
        events = await Caller(transport, f"{scheme}://provider.test").ask()
        await transport.close()
    assert text_of(events) == "Hello"
    assert proxy.logins == ["Basic YW5uOnNlY3JldC1jYW5hcnk="]
    if scheme == "https":
        assert "proxy-authorization" not in server.requests[0].headers


async def test_a_dead_proxy_is_named_without_its_login() -> None:
    transport = Transport(proxies={"https": "http://ann:secret-canary@127.0.0.1:1"})
    failed = await Caller(transport, "https://provider.test", attempts=1).fail()
    await transport.close()
    assert failed.message == (
        "The proxy http://127.0.0.1:1 cannot be reached: nothing listens there."
    )
    assert failed.retryable


async def test_another_kind_of_proxy_is_refused_in_words() -> None:
    transport = Transport(proxies={"all": "socks5://ann:secret-canary@127.0.0.1:1"})
    failed = await Caller(transport, "https://provider.test").fail()
    assert failed.message.startswith("socks5://127.0.0.1:1 is no HTTP proxy")


async def test_an_authority_of_ones_own_is_trusted_when_it_is_named(tmp_path: Path) -> None:
    authority, tls = certificates.make(tmp_path)
    async with serving(HELLO, tls=tls) as server:
        trusting = Transport(ca_file=str(authority), proxies={})
        assert text_of(await Caller(trusting, server.url).ask()) == "Hello"
        await trusting.close()
        strict = Transport(proxies={})
        failed = await Caller(strict, server.url).fail()
        await strict.close()
    assert "certificate" in failed.message
    assert "self-signed" in failed.message
    assert "SSL_CERT_FILE" in failed.hint
    assert not failed.retryable


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), (b"no certificate", "it holds no certificate")]
)
async def test_a_useless_file_of_certificates_is_named(
    tmp_path: Path, content: bytes | None, why: str
) -> None:
    path = tmp_path / "authority.pem"
    if content is not None:
        path.write_bytes(content)
    transport = Transport(ca_file=str(path), proxies={})
    failed = await Caller(transport, "https://provider.test").fail()
    assert repr(str(path)) in failed.message
    assert why in failed.message


async def test_closing_an_encrypted_stream_is_seen_by_the_server_at_once(tmp_path: Path) -> None:
    authority, tls = certificates.make(tmp_path)
    gate = Gate()
    reply = Reply([line(text="Hal"), gate])
    transport = Transport(ca_file=str(authority), proxies={})
    async with serving(reply, tls=tls) as server, asyncio.timeout(30):
        asking = asyncio.create_task(Caller(transport, server.url).ask())
        await gate.reached.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await reply.left.wait()
    await transport.close()


async def test_many_streams_run_at_once(transport: Transport) -> None:
    replies = [Reply(answer(str(n))) for n in range(120)]
    async with serving(*replies) as server:
        callers = [Caller(transport, server.url) for _ in replies]
        answers = await asyncio.gather(*(caller.ask() for caller in callers))
    assert sorted(int(text_of(events)) for events in answers) == list(range(120))


async def test_a_closed_transport_opens_again(transport: Transport) -> None:
    async with serving(HELLO) as server:
        for _ in range(2):
            assert text_of(await Caller(transport, server.url).ask()) == "Hello"
            await transport.close()


def test_each_loop_has_connections_of_its_own() -> None:
    transport = Transport(proxies={})

    async def talk() -> str:
        async with serving(HELLO) as server:
            events = await Caller(transport, server.url).ask()
        await transport.close()
        return text_of(events)

    assert [asyncio.run(talk()) for _ in range(2)] == ["Hello", "Hello"]
    gc.collect()


def test_importing_the_transport_imports_no_http_library() -> None:
    code = (
        "import sys, bottega.providers.http.transport, bottega.providers.route, "
        "bottega.providers.catalog, bottega.providers.http.probe, bottega.spending.key; "
        "heavy = {'aiohttp', 'genai_prices', 'cryptography', 'pydantic'} & set(sys.modules); "
        "print(*heavy, end='')"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


async def test_a_session_keeps_no_cookies(transport: Transport) -> None:
    sets = Reply(answer("Hello"), headers={"Set-Cookie": "tenant=1; Path=/"})
    async with serving(sets) as server:
        caller = Caller(transport, server.url)
        await caller.ask()
        await caller.ask()
    assert "cookie" not in server.requests[1].headers


async def test_a_netrc_file_adds_no_login(
    transport: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("default login ann password secret-canary\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    async with serving(HELLO) as server:
        events = await Caller(transport, server.url, key="sk-mine").ask()
    assert not isinstance(events[-1], Failed)
    assert server.requests[0].headers["authorization"] == "Bearer sk-mine"
