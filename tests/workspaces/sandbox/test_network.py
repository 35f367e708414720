"""The network of a sandbox: none, or one port inside that a proxy outside answers."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bottega.errors import Refused
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock
from tests.workspaces.sandbox.rooms import bash, run


class Proxy:
    """Answers every request with its first line; implements `Egress`."""

    def __init__(self) -> None:
        self.serving = 0

    async def serve(self, listener: socket.socket) -> Callable[[], Awaitable[None]]:
        self.serving += 1
        server = await asyncio.start_server(self._answer, sock=listener)

        async def stop() -> None:
            server.close()
            self.serving -= 1

        return stop

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = head.split(b"\r\n")[0]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()


@pytest.fixture
def proxy() -> Proxy:
    return Proxy()


@pytest.fixture
async def connected(proxy: Proxy, tmp_path: Path) -> AsyncIterator[Opened]:
    (tmp_path / "ws").mkdir()
    local = Local(tmp_path / "state", egress=proxy)
    sandbox = await local.open(Root(tmp_path / "ws"), network=True)
    yield sandbox
    await sandbox.close()


@needs_bubblewrap
async def test_with_network_programs_reach_the_proxy_and_nothing_else(connected: Opened) -> None:
    through = "curl -sS http://example.org/page"
    assert (await bash(connected, through)).out == "GET http://example.org/page HTTP/1.1"
    past = await bash(connected, "curl -sS --noproxy '*' --max-time 5 http://1.1.1.1/")
    assert past.code != 0


@needs_bubblewrap
async def test_every_usual_variable_names_the_proxy(connected: Opened) -> None:
    names = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
    script = "".join(f'echo "${name}|${name.upper()}"; ' for name in names)
    *proxies, none = (await bash(connected, script)).out.splitlines()
    (url,) = set("|".join(proxies).split("|"))
    assert url.startswith("http://127.0.0.1:")
    assert none == "|"


@needs_bubblewrap
async def test_the_proxy_ends_with_the_sandbox(proxy: Proxy, tmp_path: Path) -> None:
    local = Local(tmp_path / "state", egress=proxy)
    sandbox = await local.open(Root(tmp_path), network=True)
    assert proxy.serving == 1
    await sandbox.close()
    assert proxy.serving == 0


@needs_bubblewrap
async def test_a_sandbox_that_is_opened_anew_has_its_proxy_anew(
    connected: Opened, proxy: Proxy
) -> None:
    warden = await connected.living()
    await warden.end()
    assert (await bash(connected, "curl -sS http://example.org/")).out.startswith("GET")
    assert proxy.serving == 1


@needs_bubblewrap
async def test_without_network_there_is_no_proxy(proxy: Proxy, tmp_path: Path) -> None:
    sandbox = await Local(tmp_path / "state", egress=proxy).open(Root(tmp_path))
    done = await bash(sandbox, "env | grep -ic proxy; curl -sS --max-time 5 http://1.1.1.1/")
    await sandbox.close()
    assert done.out.strip() == "0"
    assert done.code != 0
    assert proxy.serving == 0


@needs_bubblewrap
async def test_programs_of_one_sandbox_talk_over_loopback_and_those_of_others_do_not(
    tmp_path: Path,
) -> None:
    local = Local(tmp_path / "state")
    first, second = await asyncio.gather(local.open(Root(tmp_path)), local.open(Root(tmp_path)))
    serve = "python3 -u -m http.server -b 127.0.0.1 8123 > up 2>&1 &"
    await bash(first, f"{serve} until grep -q Serving up; do sleep 0.02; done")
    asked = ("curl", "-sS", "--max-time", "5", "http://127.0.0.1:8123/")
    assert (await run(first, *asked)).code == 0
    assert (await run(second, *asked)).code != 0
    await asyncio.gather(first.close(), second.close())


@needs_bubblewrap
async def test_network_without_a_proxy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no way into the network"):
        await Local(tmp_path / "state").open(Root(tmp_path), network=True)


@needs_landlock
async def test_landlock_never_has_network(tmp_path: Path, proxy: Proxy) -> None:
    local = Local(tmp_path / "state", best="landlock", egress=proxy)
    with pytest.raises(Refused, match="no way into the network"):
        await local.open(Root(tmp_path), network=True)
