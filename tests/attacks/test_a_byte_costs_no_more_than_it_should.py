"""Severity: high (H5). Chunks, frames and fields of a few bytes each: cheap to send, and to parse no dearer."""

import base64
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest

from tests.attacks.hostile import Person, Target

AT_ONCE = 0.5
"""Seconds in which another person is answered, on a machine that others use as well."""
SENT_FOR = 0.4


@pytest.fixture(scope="module")
def server(attacked_by_all: Target) -> Target:
    attacked_by_all.token("guest")  # made here, by one thread
    attacked_by_all.lines.clear()
    return attacked_by_all


def connected(server: Target) -> socket.socket:
    place = urlsplit(server.address)
    return socket.create_connection((place.hostname, place.port), timeout=5)


def head(server: Target, line: str, *lines: str) -> bytes:
    host = server.address.removeprefix("http://")
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode()


def frame(opcode: int, data: bytes = b"", fin: bool = True) -> bytes:
    return bytes([(0x80 if fin else 0) | opcode, 0x80 | len(data)]) + b"\0\0\0\0" + data


def opened(server: Target) -> socket.socket:
    """A websocket of a guest's."""
    with Person(server, "guest") as guest:
        status, answer = guest.call("POST", "/api/tickets", {})
    assert status < 300, answer
    wire = connected(server)
    key = base64.b64encode(os.urandom(16)).decode()
    wire.sendall(
        head(
            server,
            f"GET /ws/{answer['ticket']}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )
    )
    assert wire.recv(4096).startswith(b"HTTP/1.1 101")
    return wire


def chunks(server: Target) -> tuple[socket.socket, bytes]:
    wire = connected(server)
    wire.sendall(head(server, "POST /api/sessions", "Transfer-Encoding: chunked"))
    return wire, b"1\r\na\r\n" * 20_000


def signed_in_chunks(server: Target) -> tuple[socket.socket, bytes]:
    wire = connected(server)
    token = f"Authorization: Bearer {server.token('guest')}"
    wire.sendall(head(server, "POST /api/sessions", token, "Transfer-Encoding: chunked"))
    return wire, b"1\r\na\r\n" * 20_000


def lines(server: Target) -> tuple[socket.socket, bytes]:
    return connected(server), head(server, "GET /", *(["a:b"] * 2500))


def pongs(server: Target) -> tuple[socket.socket, bytes]:
    return opened(server), frame(10) * 20_000


def fragments(server: Target) -> tuple[socket.socket, bytes]:
    wire = opened(server)
    wire.sendall(frame(1, fin=False))
    return wire, frame(0, fin=False) * 20_000


def pings(server: Target) -> tuple[socket.socket, bytes]:
    return opened(server), frame(9, b"x" * 125) * 1000


WAYS = [chunks, signed_in_chunks, lines, pongs, fragments, pings]


@contextmanager
def sending(
    server: Target, way: Callable[[Target], tuple[socket.socket, bytes]], connections: int
) -> Iterator[list[int]]:
    """Send without reading, on so many connections, and anew on each that was cut; how many bytes were sent."""
    over = threading.Event()
    sent = [0]

    def run() -> None:
        while not over.is_set():
            with suppress(OSError, AssertionError):
                wire, data = way(server)
                with wire:
                    while not over.is_set():
                        wire.sendall(data)
                        sent[0] += len(data)
            over.wait(0.02)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(connections)]
    for thread in threads:
        thread.start()
    try:
        yield sent
    finally:
        over.set()
        for thread in threads:
            thread.join(10)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_who_sends_what_costs_much_delays_nobody_and_fills_nothing(
    server: Target, way: Callable[[Target], tuple[socket.socket, bytes]]
) -> None:
    before = server.rss()
    with sending(server, way, 4) as sent, Person(server) as host:
        ends = time.monotonic() + SENT_FOR
        waits: list[float] = []
        while time.monotonic() < ends:
            took, status, answer = host.timed("GET", "/api/me")
            assert status == 200, answer
            waits.append(took)
            time.sleep(0.02)
        assert server.rss() - before < 60_000_000
    assert sent[0]
    assert sorted(waits)[len(waits) // 2] < AT_ONCE, waits


def test_a_socket_that_reads_no_pongs_holds_no_more_than_a_buffer_full(server: Target) -> None:
    before = server.rss()
    with opened(server) as wire:
        wire.settimeout(0.2)
        with suppress(OSError):
            for _ in range(200):
                wire.sendall(frame(9, b"x" * 125) * 1000)
        assert server.rss() - before < 10_000_000


def test_a_refused_request_ends_its_connection_and_its_answer_arrives(server: Target) -> None:
    wire, data = chunks(server)
    with wire:
        wire.sendall(data)
        received = b""
        while piece := wire.recv(65536):
            received += piece
    assert received.startswith((b"HTTP/1.1 401", b"HTTP/1.1 400"))
    assert received.lower().count(b"connection: close") == 1


def test_a_body_in_chunks_of_a_fair_size_is_taken(server: Target) -> None:
    body = json.dumps({"title": "x" * 100, "padding": "y" * 10_000}).encode()
    pieces = (body[at : at + 100] for at in range(0, len(body), 100))
    with Person(server) as host:
        token = {"Authorization": f"Bearer {server.token()}", "Content-Type": "application/json"}
        host.wire.request("POST", "/api/sessions", pieces, token, encode_chunked=True)
        answer = host.wire.getresponse()
        assert answer.status == 422  # there is no such field
        answer.read()


FIELDS = json.dumps({f"a{n}": 1 for n in range(70_000)}).encode()
VALUES = b'{"a": [' + b"1e9," * 200_000 + b"1]}"


@pytest.mark.parametrize("body", [FIELDS, VALUES], ids=["fields", "values"])
def test_a_body_of_very_many_parts_is_refused_before_anything_is_made_of_it(
    server: Target, body: bytes
) -> None:
    with Person(server, "guest") as guest:
        for path in ("/api/sessions", "/api/sign-in"):
            took, status, answer = guest.timed("POST", path, body)
            assert (status, answer["code"]) == (413, "too_large")
            assert took < 0.3


def test_commas_and_quotes_inside_of_a_text_are_no_parts(server: Target) -> None:
    said = ',:"\\' * 100_000
    with Person(server) as host:
        body = {"message_id": "00000000-0000-4000-8000-000000000000", "content": said}
        status, answer = host.call("POST", "/api/sessions/none/prompts", body)
    assert status == 404, answer


@pytest.mark.parametrize("depth", [201, 400, 1500, 3900])
def test_a_deep_frame_is_refused_and_its_socket_goes_on(server: Target, depth: int) -> None:
    server.lines.clear()
    deep = b'{"type":"answer","ask_id":"a","word":"allow","input":{"a":%b%b}}'
    texts = (deep % (b"[" * depth, b"]" * depth), b"[" * depth, b'{"ref":' * depth)
    with opened(server) as wire:
        for text in texts:
            length = len(text).to_bytes(8, "big")
            wire.sendall(b"\x81\xff" + length + b"\0\0\0\0" + text)
            assert b"bad_frame" in answered(wire)
        wire.sendall(frame(1, b'{"type":"ping"}'))
        assert b'"pong"' in answered(wire)
    assert not [line for line in server.lines if line.get("level") == "error"]


def answered(wire: socket.socket) -> bytes:
    """The next frame that is no heartbeat, nor a ping."""
    while b'"type"' not in (received := wire.recv(65536)) or b'"heartbeat"' in received:
        assert received
    return received


def test_who_sends_nonsense_fills_no_log(server: Target) -> None:
    server.lines.clear()
    for _ in range(60):
        with connected(server) as wire:
            wire.sendall(b"nonsense\r\n\r\n")
            assert wire.recv(100).startswith(b"HTTP/1.1 400")
    assert len(server.lines) < 40, server.lines[-1]
