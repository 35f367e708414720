"""One server of the settings: started when it is needed, and again after it ended, but not too soon.

A crash or a hang stays here: who asks for a tool is told, and no other server notices.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from bottega.errors import Problem
from bottega.mcp.approved import Approved, why_not
from bottega.mcp.channel import Channel, Show, Surroundings
from bottega.mcp.definitions import Definition, define
from bottega.mcp.problems import Refusal, Unavailable, plain
from bottega.mcp.server import McpServer, fingerprint
from bottega.tools.tool import Outcome

if TYPE_CHECKING:
    from bottega.mcp.asking import Prompt
    from bottega.mcp.connection import Connection

T = TypeVar("T")


class Offer(msgspec.Struct, frozen=True):
    """What a server offered when it was last asked."""

    tools: tuple[Definition, ...] = ()
    resources: bool = False
    notices: tuple[str, ...] = ()


class Link:
    def __init__(
        self, name: str, server: McpServer, around: Surroundings, approved: Approved
    ) -> None:
        self.name = name
        self.server = server
        self.bound = fingerprint(server)
        self.offer = Offer()
        self._around = around
        self._approved = approved
        self._connection: Connection | None = None
        self._starting: asyncio.Task[Connection] | None = None
        self._stale = False
        self._failures = 0
        self._not_before = 0.0
        self._failed = ""
        self._closed = False

    async def ready(self) -> "Connection":
        """The running server, started if it is not; raises a `Problem` that says why it cannot be used."""
        if self._closed:
            raise Unavailable(f"The MCP server {self.name!r} has been shut down.")
        if self._starting is None:
            if self._connection and self._connection.is_live:
                return self._connection
            await self._bury()
            if self._starting is None:
                self._refuse_too_soon()
                self._starting = asyncio.create_task(self._start())
                self._starting.add_done_callback(_retrieved)
        return await asyncio.shield(self._starting)

    async def look(self) -> Offer:
        """What it offers now."""
        connection = await self.ready()
        if (
            self._stale or connection.session.initialize_result is None
        ):  # such a server tells of no change
            await self._list(connection)
        return self.offer

    async def call(self, wanted: Definition, arguments: dict[str, Any], show: Show) -> Outcome:
        """Call a tool that was offered as `wanted`; one that has become another since is not called."""
        offer = await self.look()
        if wanted.fingerprint not in {each.fingerprint for each in offer.tools}:
            raise Refusal(
                f"The MCP server {self.name!r} no longer offers the tool {plain(wanted.tool, 60)!r} as it was.",
                hint="It was not called. What is offered now is known with the next message.",
            )
        from bottega.mcp import asking

        return await self._again(lambda c: asking.call(c, wanted.tool, arguments, show))

    async def resources(self) -> dict[str, Any]:
        from bottega.mcp import asking

        return await self._again(asking.resources)

    async def read(self, uri: str) -> Outcome:
        from bottega.mcp import asking

        return await self._again(lambda c: asking.read(c, uri))

    async def prompts(self) -> "list[Prompt]":
        from bottega.mcp import asking

        return await self._again(asking.prompts)

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        from bottega.mcp import asking

        return await self._again(lambda c: asking.prompt(c, name, arguments))

    async def close(self) -> None:
        """End it; returns once nothing of it is left."""
        self._closed = True
        if self._starting:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._connection:
            await self._connection.close()

    async def _again(self, ask: "Callable[[Connection], Awaitable[T]]") -> T:
        """Ask; and once more where a server over HTTP has only forgotten us, as then nothing was done."""
        connection = await self.ready()
        try:
            found = await ask(connection)
        except Refusal:
            if connection.is_live:
                raise
            found = await ask(await self.ready())
        self._failures = 0
        return found

    async def _start(self) -> "Connection":
        began = time.monotonic()
        connection: Connection | None = None
        try:
            state = self._approved.state(self.name, self.server)
            if state != "approved":
                raise Unavailable(why_not(self.name, state))
            connection = await self._prepared()
            async with asyncio.timeout(self._around.patience.start):
                await connection.open()
                await self._list(connection)
        except BaseException as problem:
            if connection:
                await connection.close()
            if isinstance(problem, asyncio.CancelledError):
                raise
            detail = connection.channel.detail() if connection else ""
            raise self._put_off(problem, detail, time.monotonic() - began) from None
        finally:
            self._starting = None
        self._connection = connection
        return connection

    async def _prepared(self) -> "Connection":
        await asyncio.to_thread(_import)
        from bottega.mcp.connection import Connection

        channel = _channel(self.name, self.server, self._around)
        patience = self._around.patience
        return Connection(self.name, channel, self.server.timeout, patience, self._changed)

    async def _list(self, connection: "Connection") -> None:
        from bottega.mcp import listing

        self._stale = False
        offered = await listing.tools(connection)
        allowed = self.server.tools
        kept = [each for each in offered if allowed is None or each.name in allowed]
        tools, notices = await asyncio.to_thread(define, self.name, self.bound, kept)
        resources = await listing.offers_resources(connection)
        self.offer = Offer(tuple(tools), resources, tuple(notices))

    def _changed(self) -> None:
        self._stale = True

    async def _bury(self) -> None:
        """Wait for the end of a server that is ending, and count it if it was no wish of ours."""
        old = self._connection
        if old is None:
            return
        await old.over.wait()
        if self._connection is old:
            self._connection = None
            if old.reason:
                self._failures += 1
                self._wait_for(
                    0 if self._failures == 1 else self._around.patience.backoff,
                    old.reason if self._around.to_owner else "",
                )

    def _put_off(self, problem: BaseException, detail: str, took: float) -> Problem:
        start = self._around.patience.start
        if isinstance(problem, TimeoutError):
            problem = Unavailable(
                f"The MCP server {self.name!r} did not get ready within {start:g} s. {detail}".rstrip()
            )
        elif not isinstance(problem, Problem):
            problem = Unavailable(
                f"The MCP server {self.name!r} could not be started ({type(problem).__name__})."
            )
        if not self._around.to_owner:
            problem = Unavailable(
                f"The MCP server {self.name!r} could not be started.",
                hint=f"The owner of this home sees why with: bottega mcp test {self.name}",
            )
        self._failures += 1
        self._wait_for(max(self._around.patience.backoff, 2 * took), str(problem))
        return problem

    def _wait_for(self, least: float, why: str) -> None:
        wait = min(self._around.patience.most, least * 2 ** min(self._failures - 1, 16))
        self._not_before = time.monotonic() + wait
        self._failed = why

    def _refuse_too_soon(self) -> None:
        left = self._not_before - time.monotonic()
        if left > 0:
            raise Unavailable(
                f"The MCP server {self.name!r} is not available. {self._failed}".rstrip(),
                hint=f"It is tried again in {left:.0f} s at the earliest; `bottega mcp test {self.name}` tries it now.",
            )


def _channel(name: str, server: McpServer, around: Surroundings) -> Channel:
    if server.url:
        from bottega.mcp.http import Http

        return Http(name, server, around)
    from bottega.mcp.stdio import Stdio

    return Stdio(name, server, around)


def _import() -> None:
    """The SDK takes a second to import: not in the event loop, and not before it is needed."""
    import logging
    from importlib import import_module

    for name in ("asking", "http", "stdio"):
        import_module(f"bottega.mcp.{name}")
    # They write down what strangers say, addresses and whole messages among it.
    for name in ("mcp", "client", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _retrieved(task: "asyncio.Task[Any]") -> None:
    """Whoever waited for a start may have been cancelled; its failure is told to the next one."""
    if not task.cancelled():
        task.exception()
