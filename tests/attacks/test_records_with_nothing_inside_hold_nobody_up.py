"""Severity: high. With TLS, whoever sends records that no protocol gets to see keeps nobody else waiting."""

import ctypes
import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from tests.attacks.hostile import Target
from tests.attacks.over_tls import asked, over_tls, person, served, shaken
from tests.attacks.test_who_does_not_read_holds_nobody_up import connected

WIRES, SENT = 16, 48_000
"""Bytes on each of them: with new keys in each record, most of a second's work of the server."""
QUICK = 0.4

_OPENSSL = ctypes.CDLL("libssl.so.3")
for _name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
    getattr(_OPENSSL, _name).restype = ctypes.c_void_p
_POINTER = ctypes.c_void_p
_CONTEXT = _POINTER(_OPENSSL.SSL_CTX_new(_POINTER(_OPENSSL.TLS_client_method())))
_NEW_KEYS_FOR_BOTH = 1


class Forever:
    """A client that asks for new keys over and over, and says a byte now and then so that it is not refused."""

    def __init__(self, server: Target, address: str) -> None:
        wire = connected(server, address, b"")
        assert wire
        self.wire = wire
        # What it sends goes to a socket of ours first: so all of it can be sent at once.
        self._seen, self._made = socket.socketpair()
        for each in (self._seen, self._made):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        wire.setblocking(True)
        self._tls = _POINTER(_OPENSSL.SSL_new(_CONTEXT))
        _OPENSSL.SSL_set_fd(self._tls, wire.fileno())
        assert _OPENSSL.SSL_connect(self._tls) == 1
        wire.settimeout(5)
        _OPENSSL.SSL_set_wfd(self._tls, self._made.fileno())

    def prepared(self) -> bytes:
        made = b""
        said = iter(b"GET / HTTP/1.1\r\nX: " + b"a" * SENT)
        while len(made) < SENT:
            for _ in range(32):
                assert _OPENSSL.SSL_key_update(self._tls, _NEW_KEYS_FOR_BOTH) == 1
                assert _OPENSSL.SSL_do_handshake(self._tls) == 1
            assert _OPENSSL.SSL_write(self._tls, bytes([next(said)]), 1) == 1
            made += self._seen.recv(1 << 20)
        return made

    def close(self) -> None:
        for each in (self._seen, self._made, self.wire):
            each.close()
        _OPENSSL.SSL_free(self._tls)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with over_tls(tmp_path_factory.mktemp("records")) as started:
        served(started)
        yield started


def test_new_keys_over_and_over_hold_nobody_up(server: Target) -> None:
    clients = [Forever(server, f"127.0.0.{2 + n % 2}") for n in range(WIRES)]
    sent = [client.prepared() for client in clients]
    with closing(person(server)) as somebody:
        _timed(server, somebody)
        server.lines.clear()  # handshakes are not what is looked for
        for client, prepared in zip(clients, sent, strict=True):
            with suppress(OSError):
                client.wire.send(prepared)
        waits = [_timed(server, somebody) for _ in range(5)]
    assert [_is_cut(client.wire) for client in clients] == [True] * WIRES
    for client in clients:
        client.close()
    assert max(waits) < QUICK
    assert server.stalls(0.2) == []


def _timed(server: Target, somebody: http.client.HTTPConnection) -> float:
    begun = time.monotonic()
    somebody.request("GET", "/api/me", headers={"Authorization": f"Bearer {server.token()}"})
    answer = somebody.getresponse()
    answer.read()
    assert answer.status == 200
    return time.monotonic() - begun


def _is_cut(wire: socket.socket) -> bool:
    """Whether nothing more comes; not merely for a while."""
    try:
        while wire.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def test_who_says_a_byte_a_record_is_cut_off(server: Target) -> None:
    wire = shaken(server, "127.0.0.2")
    assert wire
    with wire:
        with suppress(OSError):
            for byte in asked(server, "/api/me").replace(b"\r\n\r\n", b"\r\nX: ") + b"a" * 400:
                wire.send(bytes([byte]))
        assert _is_cut(wire)


def test_a_body_that_comes_in_small_writes_is_heard(server: Target) -> None:
    with closing(person(server)) as somebody:
        somebody.putrequest("POST", "/api/sessions")
        somebody.putheader("Authorization", f"Bearer {server.token()}")
        somebody.putheader("Transfer-Encoding", "chunked")
        somebody.endheaders()
        for _ in range(300):  # as some clients do: length, bytes and end of a chunk each by itself
            for written in (b"80\r\n", b" " * 128, b"\r\n"):
                somebody.send(written)
        somebody.send(b"0\r\n\r\n")
        assert somebody.getresponse().status == 422
