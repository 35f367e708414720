"""Messages and descriptors between the owner, the warden and the keepers: JSON, one packet each."""

from __future__ import annotations

import array
import json
import socket
from collections.abc import Sequence
from typing import Any, Dict  # noqa: UP035

LARGEST = 190_000
"""Bytes of one message."""
_FDS = 8

Message = Dict[str, Any]  # noqa: UP006


def send(channel: socket.socket, message: Message, fds: Sequence[int] = ()) -> None:
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    channel.sendmsg([json.dumps(message).encode()], rights)


def receive(channel: socket.socket) -> tuple[bytes, list[int]]:
    """A message and the descriptors that came with it; empty: the other end is gone."""
    fds = array.array("i")
    room = socket.CMSG_SPACE(fds.itemsize * _FDS)
    body, rights, _, _ = channel.recvmsg(LARGEST, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, given in rights:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(given[: len(given) - len(given) % fds.itemsize])
    return body, list(fds)


def read(body: bytes) -> Message:
    return json.loads(body.decode("utf-8", "surrogateescape"))
