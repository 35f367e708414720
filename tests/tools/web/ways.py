"""Every way out there is, as a function from a URL to whatever came of it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bottega.errors import Problem
from bottega.tools.builtin.web.web_fetch import web_fetch
from bottega.tools.web.fetch import Fetcher
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.way import WayOut
from tests.tools.contexts import Workbench
from tests.workspaces.network.exits import leaving

Ask = Callable[[str], Awaitable[str]]


@asynccontextmanager
async def every_way(guard: Guard, folder: Path) -> AsyncIterator[dict[str, Ask]]:
    """`web_fetch`, and the proxy as a tunnel and with a plain request, all behind one guard."""
    tool = web_fetch(Fetcher(WayOut(guard, connect=1), total=3))
    bench = Workbench(folder)

    async def fetch(url: str) -> str:
        assert tool.run is not None
        try:
            return str(await tool.run({"url": url}, bench))
        except Problem as problem:
            return f"{problem.code}: {problem}"

    async with leaving(guard) as out:

        async def tunnel(url: str) -> str:
            authority = url.partition("://")[2].partition("/")[0] or url
            client = await out.client()
            client.writer.write(b"CONNECT %b HTTP/1.1\r\n\r\n" % authority.encode())
            head = await client.reader.readuntil(b"\r\n\r\n")
            if b" 200 " in head:
                client.writer.write(b"GET / HTTP/1.1\r\n\r\n")
            whole = head + await client.reader.read()
            client.abort()
            return whole.decode("utf-8", "replace")

        async def plain(url: str) -> str:
            answer = await out.ask(b"GET %b HTTP/1.1\r\n\r\n" % url.encode())
            return answer.decode("utf-8", "replace")

        try:
            yield {"web_fetch": fetch, "tunnel": tunnel, "plain": plain}
        finally:
            bench.root.close()
