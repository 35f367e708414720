"""Severity: high (H5). Connections that do not read, do not ask or ask all at once keep nobody else waiting."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from importlib.resources import files
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from bottega.server.guard.connections import Connections, Shares
from bottega.server.guard.impatient import Config, Impatient
from tests.attacks.hostile import Person, Target, target

EACH = 500
"""Connections from each of the two addresses."""
AT_ONCE = 1.0
"""Seconds in which a person is answered, on a machine that others use as well."""

pytestmark = pytest.mark.usefixtures("many_descriptors")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("reading")) as started:
        yield started


def connected(server: Target, address: str, sent: bytes) -> socket.socket | None:
    """A connection from that address on which this was sent, and nothing will ever be read."""
    place = urlsplit(server.address)
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.settimeout(5)
    try:
        wire.bind((address, 0))
        wire.connect((place.hostname, place.port))
        wire.sendall(sent)
    except OSError:
        wire.close()
        return None
    return wire


def largest() -> str:
    """A large file that strangers may have."""
    built = files("bottega.server.pages") / "built" / "assets"
    return max(built.iterdir(), key=lambda each: len(each.read_bytes())).name


def get(server: Target, path: str) -> bytes:
    host = server.address.removeprefix("http://")
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


WAYS = ["pipelined", "one", "silent", "dripping", "body", "socket", "document"]


def opening(server: Target, way: str) -> bytes:
    host = server.address.removeprefix("http://")
    posted = f"POST /api/sign-in HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    file = get(server, f"/assets/{largest()}")
    return {
        "pipelined": file * 8,
        "one": file,
        "silent": b"",
        "dripping": f"GET / HTTP/1.1\r\nHost: {host}\r\nX: ".encode(),
        "body": f"{posted}Content-Length: 100\r\n\r\n".encode(),
        "socket": f"GET /ws/none HTTP/1.1\r\nHost: {host}\r\n{upgrade}{key}\r\n".encode(),
        "document": get(server, "/api/openapi.json") * 8,
    }[way]


def test_a_thousand_hostile_connections_from_two_addresses_leave_a_person_served_at_once(
    server: Target,
) -> None:
    with Person(server) as host:
        host.call("GET", "/api/sessions")
    before = server.rss()
    openings = [opening(server, way) for way in WAYS]
    with ExitStack() as stack:
        for n in range(EACH):
            for address in ("127.0.0.1", "127.0.0.2"):
                if wire := connected(server, address, openings[n % len(openings)]):
                    stack.enter_context(wire)
            if n % 100 == 99:
                served(server)
        for _ in range(5):
            served(server)
        assert server.rss() - before < 150_000_000
    assert server.stalls(0.5) == []


def test_answers_that_a_person_does_not_read_are_bounded_in_bytes_and_only_for_that_person(
    server: Target,
) -> None:
    token = f"Authorization: Bearer {server.token()}"
    with Person(server) as host, Person(server, "guest") as guest:
        project = host.call("GET", "/api/projects")[1]["projects"][0]["id"]
        (server.folder / "large.txt").write_text("x" * 900_000)
        path = f"/api/projects/{project}/file?path=large.txt"
        status, answer = host.call("GET", path)
        assert status == 200, answer
        asked = get(server, path).replace(b"\r\n\r\n", f"\r\n{token}\r\n\r\n".encode())
        before = server.rss()
        with ExitStack() as stack:
            for _ in range(60):
                if wire := connected(server, "127.0.0.1", asked):
                    stack.enter_context(wire)
            assert guest.call("GET", "/api/me")[0] == 200
            assert server.rss() - before < 100_000_000
        ends = time.monotonic() + 10
        while (status := host.call("GET", path)[0]) != 200 and time.monotonic() < ends:
            time.sleep(0.05)
        assert status == 200


def served(server: Target) -> None:
    """Somebody who is signed in comes anew, from the address that the hostile ones have, and so does a probe."""
    with Person(server) as host:
        for path in ("/api/me", "/api/sessions", "/healthz"):
            took, status, answer = host.timed("GET", path)
            assert status == 200, answer
            assert took < AT_ONCE, path


class Hasty(Impatient):
    patience = 0.5
    stuck = 0.5


class App:
    """Answers with much, slowly or never."""

    def __init__(self) -> None:
        self.inside = 0
        self.asked = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.inside += 1
        self.asked += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(1000 if scope["path"] == "/much" else 1):
                body = b"x" * 65_536 if scope["path"] == "/much" else b"ok"
                await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.inside -= 1


@asynccontextmanager
async def listening(app: App, shares: Shares | None = None) -> AsyncIterator[tuple[str, int]]:
    config = Config(app, port=0, http=Hasty, log_config=None, lifespan="off")
    config.seats = Connections(shares)
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
    running = asyncio.create_task(server._serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        await running


async def unread(place: tuple[str, int], sent: bytes) -> socket.socket:
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(wire, place)
    await loop.sock_sendall(wire, sent)
    return wire


GET = b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [GET % b"/much", GET % b"/much" * 8], ids=["one", "pipelined"])
async def test_an_answer_on_which_nothing_moves_is_cut(sent: bytes) -> None:
    app = App()
    async with listening(app) as place, asyncio.timeout(10):
        with await unread(place, sent):
            while not app.inside:
                await asyncio.sleep(0.01)
            while app.inside:
                await asyncio.sleep(0.05)
    assert app.asked == 1


async def test_whoever_reads_slowly_but_reads_is_not_cut() -> None:
    app = App()
    async with listening(app) as place, asyncio.timeout(20):
        loop = asyncio.get_running_loop()
        with await unread(place, GET % b"/much") as wire:
            ends = loop.time() + 3 * Hasty.stuck
            while loop.time() < ends:
                assert await loop.sock_recv(wire, 262_144)
                await asyncio.sleep(0.02)
            assert app.inside == 1


async def test_requests_that_come_before_the_last_one_is_answered_are_not_heard() -> None:
    app = App()
    async with listening(app) as place, asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(*place)
        writer.write(GET % b"/" * 50)
        with suppress(ConnectionError):
            assert (await reader.read()).count(b"HTTP/1.1 200") == 1
        writer.close()
    assert app.asked == 1


async def test_the_stillest_of_too_many_strangers_goes_and_a_new_one_is_heard() -> None:
    app = App()
    async with listening(app, Shares(strangers=20, address=10)) as place, asyncio.timeout(10):
        still = [await asyncio.open_connection(*place) for _ in range(30)]
        begun = time.monotonic()
        reader, writer = await asyncio.open_connection(*place)
        writer.write(GET % b"/")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        assert time.monotonic() - begun < Hasty.patience
        with suppress(ConnectionError):
            assert await still[0][0].read() == b""
        for _, each in [*still, (reader, writer)]:
            each.close()
