"""An egress for a test, how a client speaks to it, and what is left of it afterwards."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

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
        """The proxy's address, as programs are told it."""
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


@asynccontextmanager
async def leaving(
    guard: Guard, patience: Patience | None = None, most: int = MOST
) -> AsyncIterator[Exit]:
    """An open egress; once closed, no task and no socket of it may be left."""
    contacts: list[Contact] = []
    egress = Egress(WayOut(guard), on_contact=contacts.append, patience=patience, most=most)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    stop = await egress.serve(listener)
    try:
        yield Exit(egress, listener.getsockname()[1], contacts)
    finally:
        await stop()
    assert listener.fileno() < 0
    assert [task for task in asyncio.all_tasks() if _is_ours(task)] == []


def _is_ours(task: "asyncio.Task[Any]") -> bool:
    coroutine = task.get_coro()
    assert coroutine is not None
    return (
        "workspaces/network" in coroutine.cr_code.co_filename
        and "tests" not in coroutine.cr_code.co_filename
    )
