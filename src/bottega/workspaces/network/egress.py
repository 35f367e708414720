"""A sandbox's way out: a proxy on a unix socket, for this one sandbox, until it is closed.

Whatever is inside has no other network. When it is closed nothing of it is left: no task, no
connection, no file.
"""

import asyncio
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable

from bottega.errors import Misconfigured
from bottega.workspaces.network.head import LARGEST
from bottega.workspaces.network.proxy import Contact, Proxy, refuse
from bottega.workspaces.network.relay import End, Patience, Traffic
from bottega.workspaces.network.way import WayOut

MOST = 64
"""Connections at once; as many more wait for their turn, the rest is refused."""
_BACKLOG = 1024
"""Clients that the kernel keeps until they are accepted; a connection beyond that fails at once."""
_LONGEST_PATH = 107
"""What the kernel takes for the path of a socket."""
_PAUSE = 0.5
"""Seconds until the next try where the system has no descriptor left."""


def _nobody(_: Contact) -> None:
    pass


class Egress:
    def __init__(
        self,
        way: WayOut,
        *,
        on_contact: Callable[[Contact], None] = _nobody,
        patience: Patience | None = None,
        most: int = MOST,
    ) -> None:
        """`on_contact` hears of each place as it is reached or refused; it must not wait."""
        self._patience = patience or Patience()
        self._proxy = Proxy(way, on_contact, self._patience)
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._pause: asyncio.TimerHandle | None = None
        self._folder = ""

    @property
    def traffic(self) -> Traffic:
        """What went through so far."""
        return self._proxy.traffic

    async def open(self, owner: int | None = None, folder: str | None = None) -> str:
        """Listen; returns the socket's path.

        Only the user `owner` may connect, or, without one, whoever is told the path: its name
        cannot be guessed, nor its folder listed. The folder is made inside `folder`, or among
        temporary files.
        """
        self._folder = tempfile.mkdtemp(prefix="bottega-", dir=folder)
        path = os.path.join(self._folder, secrets.token_hex(8))
        try:
            if len(os.fsencode(path)) > _LONGEST_PATH:
                raise Misconfigured(
                    f"The folder {os.path.dirname(self._folder)!r} has too long a path for a socket.",
                    hint="Choose a shorter one.",
                )
            self._listener.setblocking(False)
            self._listener.bind(path)
            if owner is not None:
                os.chown(path, owner, -1)
            os.chmod(path, 0o666 if owner is None else 0o600)
            self._listener.listen(_BACKLOG)
            # Last: nobody gets in before the rest is as it must be.
            os.chmod(self._folder, 0o711)  # noqa: S103
        except BaseException:
            await self.close()
            raise
        self._listen()
        return path

    async def close(self) -> None:
        """Cut every connection and stop listening; may be called again."""
        if self._pause is not None:
            self._pause.cancel()
        if self._listener.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _listen(self) -> None:
        asyncio.get_running_loop().add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except BlockingIOError:
            return  # whoever came has left
        except OSError:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._listener)
            self._pause = loop.call_later(_PAUSE, self._listen)
            return
        task = asyncio.create_task(self._attend(accepted))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step has closed nothing.
        task.add_done_callback(lambda _: accepted.close())

    async def _attend(self, accepted: socket.socket) -> None:
        near = End(*await asyncio.open_unix_connection(sock=accepted, limit=LARGEST))
        try:
            if len(self._tasks) > 2 * self._most:
                refuse(near, 503, f"{self._most} connections are open, and as many wait.")
                return
            async with self._free:
                await self._proxy.serve(near)
        except asyncio.CancelledError:
            near.abort()
            raise
        finally:
            await near.close(self._patience.half)
