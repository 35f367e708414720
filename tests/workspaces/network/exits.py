"""An egress for a test, how a client speaks to it, and what is left of it afterwards."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bottega.workspaces.network.egress import MOST, Egress
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.proxy import Contact
from bottega.workspaces.network.relay import End, Patience, Relay, Traffic
from bottega.workspaces.network.way import WayOut


@dataclass
class Exit:
    egress: Egress
    path: str
    contacts: list[Contact] = field(default_factory=list)

    async def client(self) -> End:
        return End(*await asyncio.open_unix_connection(self.path))

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
    """An open egress; once closed, no task and no file of it may be left."""
    contacts: list[Contact] = []
    egress = Egress(WayOut(guard), on_contact=contacts.append, patience=patience, most=most)
    path = await egress.open()
    try:
        yield Exit(egress, path, contacts)
    finally:
        await egress.close()
    assert not os.path.exists(os.path.dirname(path))
    assert [task for task in asyncio.all_tasks() if _is_ours(task)] == []


def _is_ours(task: "asyncio.Task[Any]") -> bool:
    coroutine = task.get_coro()
    assert coroutine is not None
    return (
        "workspaces/network" in coroutine.cr_code.co_filename
        and "tests" not in coroutine.cr_code.co_filename
    )


@asynccontextmanager
async def listening(path: str) -> AsyncIterator[str]:
    """A proxy's address for clients that know no unix sockets, as a sandbox has one inside."""
    tasks: set[asyncio.Task[None]] = set()

    async def carry(near: End) -> None:
        far = End(*await asyncio.open_unix_connection(path))
        try:
            async with Relay(near, far, Patience(), Traffic()) as relay:
                await relay.both_ways()
        except* OSError:
            pass
        finally:
            far.abort()
            await near.close(1)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(carry(End(reader, writer)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
