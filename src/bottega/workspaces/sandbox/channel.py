"""Messages and descriptors between the owner of a sandbox and what is inside, over a socket of theirs.

What comes from inside is written by whoever took over there: it is read with a limit and never trusted.
"""

import array
import asyncio
import os
import socket
from collections.abc import Callable
from typing import Any, cast

import msgspec

from bottega.errors import Problem
from bottega.workspaces.sandbox.inside import LARGEST

Message = dict[str, Any]
_FDS = 8


class Channel:
    """One end. `on_message` gets each message with its descriptors, which are then its own; `on_end` the end."""

    def __init__(
        self,
        end: socket.socket,
        on_message: Callable[[Message, list[int]], None],
        on_end: Callable[[], None],
    ) -> None:
        end.setblocking(False)
        self._end = end
        self._on_message = on_message
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(end.fileno(), self._read)

    @property
    def closed(self) -> bool:
        return self._end.fileno() < 0

    async def send(self, message: Message, fds: tuple[int, ...] = ()) -> None:
        """Raises OSError where the other end is gone."""
        body = encoded(message)
        while True:
            try:
                socket.send_fds(self._end, [body], list(fds))
                return
            except BlockingIOError:  # the other end is behind: seldom, and never for long
                await asyncio.sleep(0.005)

    def say(self, message: Message) -> None:
        """Send something small, if the other end is still there and listens."""
        if not self.closed:
            try:
                self._end.send(encoded(message))
            except OSError:
                return

    def close(self) -> None:
        if not self.closed:
            self._loop.remove_reader(self._end.fileno())
            self._end.close()

    def _read(self) -> None:
        try:
            body, fds = received(self._end)
        except BlockingIOError:
            return
        except OSError:
            body, fds = b"", []
        if not body:
            self._drop(fds)
            self.close()
            self._on_end()
            return
        try:
            message = msgspec.json.decode(body, type=Message)
        except msgspec.DecodeError:
            self._drop(fds)
            return
        self._on_message(message, fds)

    @staticmethod
    def _drop(fds: list[int]) -> None:
        for fd in fds:
            os.close(fd)


def encoded(message: Message) -> bytes:
    """File names may be no valid text: the bytes go through as they are."""
    import json

    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogateescape")
    if len(body) > LARGEST:
        raise Problem(
            "The command is too long to be started.",
            hint="Write the long part into a file and name the file.",
        )
    return body


def received(end: socket.socket) -> tuple[bytes, list[int]]:
    fds = array.array("i")
    room = socket.CMSG_SPACE(fds.itemsize * _FDS)
    body, rights, _, _ = end.recvmsg(LARGEST, room, socket.MSG_CMSG_CLOEXEC)
    for level, kind, given in rights:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(cast(bytes, given)[: len(given) - len(given) % fds.itemsize])
    return body, list(fds)
