"""Messages and descriptors between the owner of a sandbox and what is inside, over a socket of theirs.

What comes from inside is written by whoever took over there: it is read with a limit and never trusted.
"""

import asyncio
import json
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from bottega.errors import BadUsage, Problem
from bottega.workspaces.sandbox.inside.wire import LARGEST, receive

Message = dict[str, Any]


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

    def send(self, message: Message, fds: Sequence[int] = ()) -> None:
        """Raises OSError where the other end is gone, or far behind."""
        hand(self._end, message, fds)

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
            body, fds = receive(self._end)
        except (BlockingIOError, ConnectionResetError):
            # A reset comes first where the other end was closed with something unread; what it said comes after.
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


def hand(end: socket.socket, message: Message, fds: Sequence[int]) -> None:
    socket.send_fds(end, [encoded(message)], list(fds))


def encoded(message: Message) -> bytes:
    """File names may be no valid text: the bytes go through as they are."""
    text = json.dumps(message, ensure_ascii=False)
    try:
        body = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadUsage("The command is no valid text.", hint="Write it in UTF-8.") from None
    if len(body) > LARGEST:
        raise Problem(
            "The command is too long to be started.",
            hint="Write the long part into a file and name the file.",
        )
    return body
