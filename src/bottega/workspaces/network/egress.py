"""A sandbox's way out: a proxy on a unix socket, for this one sandbox, until it is closed.

Whatever is inside has no other network. When it is closed nothing of it is left: no task, no
connection, no file.
"""

import asyncio
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable

from bottega.errors import Misconfigured
from bottega.workspaces.network.head import LARGEST
from bottega.workspaces.network.proxy import Contact, Proxy, refuse
from bottega.workspaces.network.relay import End, Patience, Traffic
from bottega.workspaces.network.way import WayOut

MOST = 64
"""Connections at once; the next ones wait for a while."""
_LONGEST_PATH = 107
"""What the kernel takes for the path of a socket."""


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
        self._server: asyncio.Server | None = None
        self._folder = ""

    @property
    def traffic(self) -> Traffic:
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
            self._server = await asyncio.start_unix_server(self._accept, path, limit=LARGEST)
            if owner is not None:
                os.chown(path, owner, -1)
            os.chmod(path, 0o666 if owner is None else 0o600)
            # Last: nobody gets in before the rest is as it must be.
            os.chmod(self._folder, 0o711)  # noqa: S103
        except BaseException:
            await self.close()
            raise
        return path

    async def close(self) -> None:
        """Cut every connection and stop listening; may be called again."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._attend(End(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _attend(self, near: End) -> None:
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
