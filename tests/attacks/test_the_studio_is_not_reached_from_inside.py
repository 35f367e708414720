"""An agent reaches the studio, or other servers of this machine, by an address of the network. Severity: low (L6).

Where the studio listens is never reached, whatever `network_private` opens; other ports of this machine only where
they are named one by one.
"""

import asyncio
import socket
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
import tomlkit

from bottega.isolation import way_out
from bottega.settings import load
from bottega.tools.web.fetch import Fetcher
from bottega.workspaces.network.address import is_of_this_machine, verdict
from bottega.workspaces.network.guard import AddressRefused, Guard
from bottega.workspaces.network.url import Place
from bottega.workspaces.network.way import WayOut
from tests.attacks.sinks import Sink, sink
from tests.server.serving import Serving


def _addresses() -> list[str]:
    """The addresses of this machine that belong to private networks."""
    found: set[str] = set()
    for family, outside in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((outside, 9))
                found.add(str(probe.getsockname()[0]))
            except OSError:
                continue
    for entry in socket.getaddrinfo(socket.gethostname(), None):
        found.add(str(entry[4][0]).partition("%")[0])
    judged = {each: verdict(ip_address(each)) for each in found}
    return sorted(each for each, said in judged.items() if said and said.private)


PRIVATE = _addresses()
NETWORKS = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "100.64.0.0/10"]
EVERYWHERE = ["127.0.0.1", "127.0.0.2", "::1", *PRIVATE]


@pytest.fixture(scope="module")
def other() -> Iterator[Sink]:
    """Another server of this machine, on all its addresses."""
    with sink() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("inside")
    (place / "work").mkdir()
    with Serving(place / "home", place / "work", "--host", "::") as running:
        yield running


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def test_the_studio_is_refused_by_every_address_of_this_machine_though_all_are_opened(
    server: Serving,
) -> None:
    port = int(server.address.rpartition(":")[2])
    opened = [*NETWORKS, *(f"{_shown(host)}:{port}" for host in EVERYWHERE)]
    opened += [f"localhost:{port}"]
    (server.home / "config.toml").write_text(tomlkit.dumps({"network_private": opened}))
    fetcher = Fetcher(way_out(load(home=server.home, environment={})))
    listens = [host for host in EVERYWHERE if await _answers(host, port)]
    assert listens
    for host in [*listens, "localhost"]:
        with pytest.raises(AddressRefused, match="the studio itself listens there"):
            await fetcher.fetch(f"http://{_shown(host)}:{port}/healthz")


async def _answers(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True


@pytest.mark.skipif(not PRIVATE, reason="this machine has no address of a private network")
@pytest.mark.parametrize("host", PRIVATE)
async def test_a_network_that_is_opened_does_not_open_this_machine(host: str, other: Sink) -> None:
    other.heard.clear()
    assert any(ip_address(host) in ip_network(each) for each in NETWORKS)
    assert is_of_this_machine(ip_address(host))
    closed = Fetcher(WayOut(Guard(private=NETWORKS)))
    with pytest.raises(AddressRefused, match="an address of this machine"):
        await closed.fetch(f"http://{_shown(host)}:{other.port}/")
    assert other.heard == []

    named = Fetcher(WayOut(Guard(private=[f"{_shown(host)}:{other.port}"])))
    assert (await named.fetch(f"http://{_shown(host)}:{other.port}/")).status == 404


async def test_a_studio_that_starts_later_is_refused_from_then_on(
    tmp_path: Path, other: Sink
) -> None:
    listening: list[tuple[str, int]] = []
    guard = Guard(private=[f"127.0.0.1:{other.port}"], own=lambda: listening)
    place = Place("127.0.0.1", other.port)
    assert (await guard.check(place)).opened
    listening.append(("::", other.port))
    with pytest.raises(AddressRefused, match="the studio itself"):
        await guard.check(place)
