"""Severity: high (H5, its kind). With TLS, connections count from the moment that they are accepted."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.attacks.hostile import Target
from tests.attacks.over_tls import asked, over_tls, served, shaken
from tests.attacks.test_who_does_not_read_holds_nobody_up import connected, largest

HELD = 600
"""Connections from each of two addresses."""
ROOM = 400 + 50
"""Descriptors: of strangers, and of what else there is meanwhile."""

pytestmark = pytest.mark.usefixtures("many_descriptors")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with over_tls(tmp_path_factory.mktemp("tls")) as started:
        yield started


def descriptors(server: Target) -> int:
    return len(os.listdir(f"/proc/{server.pid}/fd"))


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\n\r\n"])
def test_who_does_not_shake_hands_takes_no_more_than_a_strangers_share(
    server: Target, sent: bytes
) -> None:
    served(server)
    before, files = server.rss(), descriptors(server)
    with ExitStack() as stack:
        for n in range(HELD):
            for address in ("127.0.0.2", "127.0.0.3"):
                if wire := connected(server, address, sent):
                    stack.enter_context(wire)
            if n % 150 == 0:
                served(server)
        served(server)
        assert descriptors(server) - files < 2 * ROOM
        ends = time.monotonic() + 10  # what has just come may not have been read yet
        while descriptors(server) - files >= ROOM and time.monotonic() < ends:
            time.sleep(0.05)
        assert descriptors(server) - files < ROOM
        assert server.rss() - before < 80_000_000
    served(server)


def test_an_answer_that_nobody_reads_waits_in_bounded_memory(server: Target) -> None:
    served(server)
    before = server.rss()
    with ExitStack() as stack:
        for n in range(60):
            if wire := shaken(server, f"127.0.0.{2 + n % 2}"):
                stack.enter_context(wire)
                wire.sendall(asked(server, f"/assets/{largest()}").replace(b"Bearer ", b"None "))
        served(server)
        assert server.rss() - before < 60 * 400_000
    served(server)


def test_a_connection_that_ends_leaves_nothing_behind(server: Target) -> None:
    served(server)
    files = descriptors(server)
    for _ in range(30):
        connected(server, "127.0.0.2", b"").close()  # type: ignore[union-attr]  # pyright: ignore
        wire: socket.socket | None = shaken(server, "127.0.0.2")
        assert wire
        wire.close()
    ends = time.monotonic() + 10
    while descriptors(server) > files and time.monotonic() < ends:
        time.sleep(0.02)
    assert descriptors(server) <= files
