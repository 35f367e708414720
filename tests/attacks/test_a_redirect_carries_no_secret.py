"""A server to which a secret is sent answers with a redirect to a server of the attacker's. Severity: low (L7).

Everything that carries a credential, times every status of a redirect, times every way to name another origin: the
other server hears nothing at all, neither a header, a cookie or a key, nor a body.
"""

import contextlib
import os
import ssl
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from bottega.client import Remote
from bottega.errors import Problem
from bottega.mcp.approved import Approved
from bottega.mcp.channel import Patience, Surroundings
from bottega.mcp.server import McpServer
from bottega.mcp.servers import Servers
from bottega.messages.block import Text
from bottega.messages.message import Message
from bottega.providers.http import probe
from bottega.providers.http.connect import Transport
from bottega.providers.http.transport import HttpProvider
from bottega.providers.provider import Request, Target
from bottega.providers.wires import WireName, wire
from bottega.reach.reach import Reach
from bottega.reach.stream import bursts
from bottega.server.outside import traces
from tests.attacks.sinks import Heard, Sink, hub, sink
from tests.mcp.plain import PlainSandboxes
from tests.providers import certificates

SECRET = "canary-secret-0123456789"
WORDS = "canary-words-9876543210"
STATUSES = (301, 302, 303, 307, 308)
WIRES: tuple[WireName, ...] = ("openai-chat", "openai-responses", "anthropic", "gemini")

ELSEWHERE: dict[str, Callable[[Sink, Sink], str]] = {
    "another port": lambda good, evil: f"{evil.url}/x",
    "another address": lambda good, evil: f"http://127.0.0.2:{evil.port}/x",
    "another kind of address": lambda good, evil: f"http://[::1]:{evil.port}/x",
    "another name": lambda good, evil: f"http://localhost:{evil.port}/x",
    "no scheme": lambda good, evil: f"//127.0.0.1:{evil.port}/x",
    "capitals": lambda good, evil: f"HTTP://LOCALHOST:{evil.port}/x",
    "a user that looks like the host": lambda good, evil: (
        f"http://127.0.0.1:{good.port}@127.0.0.1:{evil.port}/x"
    ),
    "a backslash": lambda good, evil: f"http://127.0.0.1:{evil.port}\\@127.0.0.1:{good.port}/x",
}

Carrier = Callable[[Sink, Path, str], Awaitable[object]]
"""Sends the secret to the good server, in the folder, trusting that file of certificates."""


async def _discarded(given: Awaitable[object]) -> None:
    with contextlib.suppress(Problem, AssertionError):
        await given


def _model(name: WireName) -> Carrier:
    async def ask(good: Sink, folder: Path, ca_file: str) -> None:
        transport = Transport(ca_file=ca_file, proxies={})
        target = Target("openai", f"{good.url}/v1", SECRET, {"Cookie": SECRET}, 1)
        provider = HttpProvider(wire(name), target, transport)
        request = Request("any", (Message("user", (Text(WORDS),)),))
        try:
            assert [each async for each in provider.stream(request)]
        finally:
            await transport.close()

    return ask


def _listing(name: WireName) -> Carrier:
    async def ask(good: Sink, folder: Path, ca_file: str) -> None:
        transport = Transport(ca_file=ca_file, proxies={})
        target = Target("openrouter", f"{good.url}/v1", SECRET, {}, 1)
        try:
            await probe.check(wire(name), target, transport)
            await probe.list_models(wire(name), target, transport)
        finally:
            await transport.close()

    return ask


def _login(name: WireName) -> Carrier:
    """The key is a login in the address."""

    async def ask(good: Sink, folder: Path, ca_file: str) -> None:
        transport = Transport(ca_file=ca_file, proxies={})
        address = good.url.replace("://", f"://me:{SECRET}@")
        try:
            await probe.list_models(wire(name), Target("mine", address, "", {}, 1), transport)
        finally:
            await transport.close()

    return ask


async def _calls(good: Sink, folder: Path, ca_file: str) -> None:
    remote = Remote(good.url, SECRET, patience=0, ca_file=ca_file)
    async with remote:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            body = None if method == "GET" else {"content": WORDS}
            await _discarded(remote.reach.call(method, "sessions", body))  # pyright: ignore[reportArgumentType]


async def _stream(good: Sink, folder: Path, ca_file: str) -> None:
    from bottega.providers.http.connect import trusting

    reach = Reach(good.url, SECRET, 0, tls=trusting(ca_file) if ca_file else None)
    await reach.open()
    try:
        with contextlib.suppress(Problem):
            async for _ in bursts(reach, "ses_1"):
                pass
    finally:
        await reach.close()


async def _mcp(good: Sink, folder: Path, ca_file: str) -> None:
    server = McpServer(url=f"{good.url}/mcp", headers={"Authorization": "Bearer $HUB"})
    approved = Approved(folder)
    approved.approve("hub", server)
    around = Surroundings(
        str(folder),
        PlainSandboxes(str(folder)),
        lambda name, _: SECRET,
        os.environ["PATH"],
        ca_file=ca_file,
        patience=Patience(start=5, backoff=0),
    )
    servers = Servers({"hub": server}, around, approved)
    try:
        await servers.tools()
    finally:
        await servers.close()


async def _mcp_later(good: Sink, folder: Path, ca_file: str) -> None:
    """The greeting is answered: what comes after it, the stream and the goodbye are redirected."""
    redirect = good.answer

    def answer(heard: Heard) -> tuple[int, dict[str, str], bytes]:
        return hub(heard) if b'"initialize"' in heard.body else redirect(heard)

    good.answer = answer
    await _mcp(good, folder, ca_file)


async def _traces(good: Sink, folder: Path, ca_file: str) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    session = traces._one_origin()  # pyright: ignore[reportPrivateUsage]
    given = {"x-api-key": SECRET}
    session.post(f"{good.url}/v1/traces", WORDS, headers=given, timeout=5, verify=ca_file or True)


CARRIERS: dict[str, Carrier] = {
    **{f"a prompt by {name}": _model(name) for name in WIRES},
    **{f"a list of models by {name}": _listing(name) for name in WIRES},
    "a login in an address": _login("openai-chat"),
    "calls of another Bottega": _calls,
    "events of another Bottega": _stream,
    "an MCP server": _mcp,
    "an MCP server after its greeting": _mcp_later,
    "traces": _traces,
}


def _to(status: int, location: str) -> Callable[[Heard], tuple[int, dict[str, str], bytes]]:
    return lambda _: (status, {"Location": location, "Set-Cookie": f"k={SECRET}; Path=/"}, b"")


@pytest.fixture(scope="module")
def evil() -> Iterator[Sink]:
    with sink() as found:
        yield found


@pytest.fixture(scope="module")
def good() -> Iterator[Sink]:
    with sink() as found:
        yield found


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sink, str]]:
    """A good server over TLS, and the file that says whom to trust."""
    authority, tls = certificates.make(tmp_path_factory.mktemp("tls"))
    assert isinstance(tls, ssl.SSLContext)
    with sink(tls) as found:
        yield found, str(authority)


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
async def test_a_redirect_to_another_origin_brings_nothing_there(
    carrier: Carrier, good: Sink, evil: Sink, tmp_path: Path
) -> None:
    for where in ELSEWHERE.values():
        # A carrier of many calls tries each status once at one place; all of them at the plain one.
        for status in STATUSES if where is ELSEWHERE["another port"] else (307, 302):
            good.heard.clear()
            evil.heard.clear()
            good.answer = _to(status, where(good, evil))

            await carrier(good, tmp_path, "")

            assert good.knows(SECRET) or "Authorization" in good.heard[0].headers, "it was sent"
            assert evil.heard == [], (status, where(good, evil))


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
async def test_a_redirect_from_https_to_http_brings_nothing_there(
    carrier: Carrier, secure: tuple[Sink, str], evil: Sink, tmp_path: Path
) -> None:
    good, ca_file = secure
    for status in (302, 308):
        evil.heard.clear()
        good.answer = _to(status, f"{evil.url}/x")

        await carrier(good, tmp_path, ca_file)

        assert good.heard
        assert evil.heard == []
