"""Requests as bytes, for what no well-behaved client would send."""

import socket
from urllib.parse import urlsplit

from tests.server.serving import Serving


def connect(serving: Serving) -> socket.socket:
    place = urlsplit(serving.address)
    return socket.create_connection((place.hostname or "", place.port or 0), timeout=20)


def raw(serving: Serving, *lines: str, body: bytes = b"") -> tuple[int, bytes]:
    """The status and all that comes back; the connection is the request's alone."""
    with connect(serving) as wire:
        wire.sendall("".join(f"{line}\r\n" for line in (*lines, "Connection: close", "")).encode())
        if body:
            wire.sendall(body)
        return answer(wire)


def answer(wire: socket.socket) -> tuple[int, bytes]:
    """What comes until the server closes."""
    received = b""
    while piece := wire.recv(65536):
        received += piece
    return (int(received.split(b" ", 2)[1]) if received else 0), received
