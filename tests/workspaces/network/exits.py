"""An egress for a test, how a client speaks to it, and what is left of it afterwards."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bottega.workspaces.network import egress as module
from bottega.workspaces.network.egress import MOST, Egress
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.proxy import Contact
from bottega.workspaces.network.relay import End, Patience
from bottega.workspaces.network.way import WayOut


@dataclass
class Exit:
    egress: Egress
    port: int
    contacts: list[Contact] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def client(self) -> End:
        return End(*await asyncio.open_connection("127.0.0.1", self.port))

    async def ask(self, request: bytes) -> bytes:
        """Everything that comes back."""
        client = await self.client()
        client.writer.write(request)
        try:
            return await client.reader.read()
        finally:
            client.abort()

    async def tunnel(self, place: str) -> End:
        client = await self.client()
        client.writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
        head = await client.reader.readuntil(b"\r\n\r\n")
        assert head == b"HTTP/1.1 200 Connection established\r\n\r\n"
        return client


def listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0), backlog=1024)


@asynccontextmanager
async def leaving(
    guard: Guard, patience: Patience | None = None, most: int = MOST
) -> AsyncIterator[Exit]:
    """A door that is served; once closed, no task and no listener of it may be left."""
    contacts: list[Contact] = []
    egress = Egress(WayOut(guard), on_contact=contacts.append, patience=patience, most=most)
    listens = listener()
    close = await egress.serve(listens)
    try:
        yield Exit(egress, listens.getsockname()[1], contacts)
    finally:
        await close()
    assert listens.fileno() == -1
    assert [task for task in asyncio.all_tasks() if _is_ours(task)] == []


def _is_ours(task: "asyncio.Task[Any]") -> bool:
    coroutine = task.get_coro()
    assert coroutine is not None
    folder = module.__file__.rpartition("/")[0]
    return coroutine.cr_code.co_filename.startswith(folder)
