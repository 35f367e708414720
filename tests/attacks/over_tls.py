"""A server with TLS, and those who shake hands with it."""

import http.client
import ssl
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.attacks.hostile import DEAD, Target
from tests.attacks.test_who_does_not_read_holds_nobody_up import connected

ANSWERED = 1.0
"""Seconds in which a person is answered, on a machine that others use as well."""


@contextmanager
def over_tls(place: Path) -> Generator[Target]:
    (place / "project").mkdir()
    files = ("--tls-key", str(place / "key.pem"), "--tls-cert", str(place / "cert.pem"))
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
            *("-keyout", files[1], "-out", files[3]),
        ],
        check=True,
        capture_output=True,
    )
    server = Target(
        *(place / "home", place / "project", "--log-format", "json", *files), environment=DEAD
    )
    with server:
        yield server


def shaken(server: Target, address: str) -> ssl.SSLSocket | None:
    """A connection of which the server's certificate was seen."""
    context = ssl.create_default_context(cafile=str(server.home.parent / "cert.pem"))
    wire = connected(server, address, b"")
    assert wire
    try:
        return context.wrap_socket(wire, server_hostname="127.0.0.1")
    except OSError:
        wire.close()
        return None


def person(server: Target) -> http.client.HTTPSConnection:
    """A connection that is kept."""
    place = urlsplit(server.address)
    context = ssl.create_default_context(cafile=str(server.home.parent / "cert.pem"))
    return http.client.HTTPSConnection(
        place.hostname or "", place.port, timeout=30, context=context
    )


def asked(server: Target, path: str) -> bytes:
    host = server.address.removeprefix("https://")
    token = f"Authorization: Bearer {server.token()}"
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{token}\r\n\r\n".encode()


def served(server: Target) -> None:
    began = time.monotonic()
    wire = shaken(server, "127.0.0.1")
    assert wire
    with wire:
        wire.sendall(asked(server, "/api/me"))
        assert wire.recv(1000).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - began < ANSWERED
