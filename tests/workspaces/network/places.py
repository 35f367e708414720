"""Servers on this machine for tests of the way out, and a look-up that answers as a test says."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


class Names:
    """A resolver: each name has answers that are given one after the other, the last for ever."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self._answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    def set(self, name: str, *answers: Sequence[str]) -> None:
        self._answers[name] = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        waiting = self._answers.get(host)
        if not waiting:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@dataclass
class Canary:
    """Whoever connects to any address of this machine at this port is counted."""

    port: int
    hits: list[str] = field(default_factory=list)
    v6: bool = True


@asynccontextmanager
async def canary() -> AsyncIterator[Canary]:
    found = Canary(0)

    async def hit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.hits.append(str(writer.get_extra_info("sockname")[0]))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncanary")
        writer.close()

    servers = [await asyncio.start_server(hit, "0.0.0.0", 0)]
    found.port = servers[0].sockets[0].getsockname()[1]
    try:
        servers.append(await asyncio.start_server(hit, "::", found.port, family=socket.AF_INET6))
    except OSError:
        found.v6 = False
    try:
        yield found
    finally:
        for server in servers:
            server.close()
            await server.wait_closed()


Speaks = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def speaking(speaks: Speaks, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[int]:
    """A server that does as it is told with each connection; gives its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await speaks(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(attend(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, host, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def saying(answer: bytes) -> Speaks:
    """Answers every request with these bytes, and closes."""

    async def speaks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    return speaks


def http(body: bytes, status: str = "200 OK", **fields: str) -> bytes:
    """A whole answer; underscores in the names of fields are dashes."""
    told = {"content_length": str(len(body)), "connection": "close", **fields}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def leading_to(location: str, status: int = 302) -> bytes:
    return http(b"", f"{status} Moved", location=location)
