"""The way out of sandboxes: a proxy behind a port that only the sandbox has.

Whatever is inside has no other network. When a door is closed nothing of it is left: no task, no
connection, no listener.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from bottega.workspaces.network.head import LARGEST
from bottega.workspaces.network.proxy import Anywhere, Contact, Judge, Proxy, refuse
from bottega.workspaces.network.relay import End, Patience, Traffic
from bottega.workspaces.network.way import WayOut

MOST = 64
"""Connections of one sandbox at once; as many more wait for their turn, the rest is refused."""
_PAUSE = 0.5
"""Seconds until the next try where the system has no descriptor left."""


_ANYWHERE = Anywhere()


def _nobody(_: Contact) -> None:
    pass


class Egress:
    """For one sandbox or many; each listener is served on its own."""

    def __init__(
        self,
        way: WayOut,
        *,
        on_contact: Callable[[Contact], None] = _nobody,
        patience: Patience | None = None,
        most: int = MOST,
        judge: Judge = _ANYWHERE,
    ) -> None:
        """`on_contact` hears of each place as it is reached or refused; it must not wait, and neither must `judge`."""
        self._patience = patience or Patience()
        self._proxy = Proxy(way, on_contact, self._patience, judge)
        self._most = most

    @property
    def traffic(self) -> Traffic:
        """What went through so far."""
        return self._proxy.traffic

    async def serve(self, listener: socket.socket) -> Callable[[], Awaitable[None]]:
        """Answer as an HTTP proxy to whatever connects to `listener`.

        What is returned ends that, cuts every connection and closes the listener.
        """
        door = _Door(listener, self._proxy, self._patience, self._most)
        door.open()
        return door.close


class _Door:
    def __init__(
        self, listener: socket.socket, proxy: Proxy, patience: Patience, most: int
    ) -> None:
        self._listener = listener
        self._proxy = proxy
        self._patience = patience
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._tasks: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None

    def open(self) -> None:
        self._listener.setblocking(False)
        asyncio.get_running_loop().add_reader(self._listener, self._accept)

    async def close(self) -> None:
        """May be called again."""
        if self._pause is not None:
            self._pause.cancel()
        if self._listener.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except BlockingIOError:
            return  # whoever came has left
        except OSError:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._listener)
            self._pause = loop.call_later(_PAUSE, self.open)
            return
        task = asyncio.create_task(self._attend(accepted))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step has closed nothing.
        task.add_done_callback(lambda _: accepted.close())

    async def _attend(self, accepted: socket.socket) -> None:
        near = End(*await asyncio.open_connection(sock=accepted, limit=LARGEST))
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
