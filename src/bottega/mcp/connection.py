"""One conversation with one server, from greeting to end, kept by a task of its own.

Whoever asks may be cancelled, and then the server is told so; the conversation goes on. Once it is over, `reason`
says why, and nothing of the server is left.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from typing import Any, TypeVar, cast

import mcp_types as wire
from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from pydantic import FileUrl, ValidationError

from bottega.errors import Problem
from bottega.mcp.channel import Changed, Channel, Patience
from bottega.mcp.problems import Refusal, TooSlow, Unavailable, Unknown, plain

T = TypeVar("T")

_CLOSING = 5.0
MOST_PARTS = 1_000
"""Texts, pictures and links in one answer."""
_MOST_WRONG = 100
"""Faults of an answer that are told one by one."""
_NEWER = (wire.METHOD_NOT_FOUND, wire.UNSUPPORTED_PROTOCOL_VERSION)
FORGOTTEN = "Session terminated"
"""What the SDK says where a server over HTTP knows nothing of us any more."""


class _Dispatcher(JSONRPCDispatcher):
    """Refuses answers of many parts before the SDK tries each that is wrong as every kind of part that there is."""

    async def send_raw_request(self, *given: Any, **named: Any) -> dict[str, Any]:
        raw = await super().send_raw_request(*given, **named)
        for name in ("content", "contents", "messages"):
            found: object = raw.get(name)
            if isinstance(found, list) and len(cast("list[Any]", found)) > MOST_PARTS:
                raise ValueError(f"it has more than {MOST_PARTS:,} parts")
        return raw


class Connection:
    def __init__(
        self, name: str, channel: Channel, timeout: float, patience: Patience, changed: Changed
    ) -> None:
        self.name = name
        self.channel = channel
        self._timeout = timeout
        self.reason = ""
        """Why it is over, in sentences; empty: because it was not needed any longer."""
        self.over = asyncio.Event()
        self.session: ClientSession
        self.dispatcher: JSONRPCDispatcher
        self._patience = patience
        self._changed = changed
        self._why = ""
        self._busy = 0
        self._used = 0.0
        self._checks: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_live(self) -> bool:
        return not self.channel.ended.is_set()

    async def open(self) -> None:
        """Start and greet; raises `Unavailable` with all that is known of why it could not be."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._keep(ready), name=f"mcp-{self.name}")
        try:
            await ready
        except asyncio.CancelledError:  # given up: it need not be asked to leave
            self._task.cancel()
            await self.close()
            raise

    async def ask(self, request: Callable[[ClientSession], Awaitable[T]]) -> T:
        """What the server answers; raises `TooSlow`, `Refusal`, or `Unavailable` if it ended meanwhile."""
        self._busy += 1
        try:
            async with asyncio.timeout(self._timeout):
                return await request(self.session)
        except TimeoutError:
            self._suspect()
            raise TooSlow(
                f"The MCP server {self.name!r} did not answer within {self._timeout:g} s.",
                hint="The call was called off; whether it had an effect is not known.",
            ) from None
        except MCPError as error:
            raise await self._explained(error) from None
        except (ValidationError, ValueError, RuntimeError) as error:
            raise Refusal(
                f"The MCP server {self.name!r} gave an answer that makes no sense:"
                f" {self.channel.tidy(plain(_wrong(error), 300))}"
            ) from None
        finally:
            self._busy -= 1
            self._used = asyncio.get_running_loop().time()

    def end(self, why: str) -> None:
        """Let it end by itself, soon; `why` is told to whoever asks later."""
        self._why = self._why or why
        self.channel.ended.set()

    async def close(self) -> None:
        """End it; returns once nothing of the server is left."""
        self.end("")
        if not self._task:
            return
        await asyncio.wait({self._task}, timeout=_CLOSING + self._patience.grace)
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _keep(self, ready: asyncio.Future[None]) -> None:
        problem: BaseException | None = None
        try:
            async with self.channel as (incoming, outgoing):
                self.dispatcher = _Dispatcher(incoming, outgoing)
                async with ClientSession(
                    dispatcher=self.dispatcher,
                    list_roots_callback=self._roots if self.channel.roots else None,
                    message_handler=self._heard,
                    client_info=wire.Implementation(name="bottega", version=version("bottega")),
                ) as self.session:
                    try:
                        await self._greet()
                        if not ready.done():
                            ready.set_result(None)
                        await self._until_over()
                    finally:  # before anybody waiting learns of the end
                        self.channel.ended.set()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # a group of the SDK's may hold anything
            problem = error
        finally:
            self.channel.ended.set()
            self._finish(ready, problem)

    def _finish(self, ready: asyncio.Future[None], problem: BaseException | None) -> None:
        for check in self._checks:
            check.cancel()
        idle = ready.done() and not problem and not self._why and not self.channel.detail()
        told = [self._why, self._told(problem), self.channel.detail()]
        self.reason = "" if idle else " ".join(filter(None, told)) or "It ended."
        self.over.set()
        if not ready.done():
            start = f"The MCP server {self.name!r} could not be started."
            ready.set_exception(Unavailable(f"{start} {self.reason}"))

    def _told(self, problem: BaseException | None) -> str:
        problem = _first(problem)
        if problem is None or (
            isinstance(problem, MCPError) and problem.code == wire.CONNECTION_CLOSED
        ):
            return ""
        if isinstance(problem, Problem):
            return str(problem)
        said = str(problem) or type(problem).__name__
        return f"{self.channel.tidy(plain(said, 300)).rstrip('.')}."

    async def _greet(self) -> None:
        """As servers have done for years; those that know only the newer way are asked so."""
        try:
            await self.session.initialize()
        except MCPError as error:
            if error.code not in _NEWER:
                raise
            await self.session.discover()

    async def _until_over(self) -> None:
        loop = asyncio.get_running_loop()
        self._used = loop.time()
        while not self.channel.ended.is_set():
            left = self._used + self._patience.idle - loop.time()
            if left <= 0 and not self._busy:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(max(left, 0.05)):
                    await self.channel.ended.wait()

    def _suspect(self) -> None:
        """A call ran out of time: if the server gives no sign of life either, it has hung."""
        if self.session.initialize_result is not None and self.is_live:
            check = asyncio.create_task(self._check())
            self._checks.add(check)
            check.add_done_callback(self._checks.discard)

    async def _check(self) -> None:
        try:
            async with asyncio.timeout(self._patience.ping):
                await self.session.send_ping()
        except TimeoutError:
            self.end("It no longer answered.")
        except MCPError:
            return  # a refusal is a sign of life

    async def _explained(self, error: MCPError) -> Problem:
        if not self.is_live:
            await self.over.wait()
            return self.gone()
        said = plain(error.message, 400) or "no reason given"
        detail = self.channel.detail()
        if error.message == FORGOTTEN:
            self.end("It has forgotten this conversation.")
        kind = Unknown if error.code == wire.METHOD_NOT_FOUND else Refusal
        return kind(
            f"The MCP server {self.name!r} refused: {self.channel.tidy(said)} {detail}".rstrip()
        )

    def gone(self) -> Unavailable:
        return Unavailable(
            f"The MCP server {self.name!r} ended. {self.reason}".rstrip(),
            hint="It is started again when it is next used; whether this call had an effect is not known.",
        )

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, wire.ToolListChangedNotification):
            self._changed()

    async def _roots(self, context: ClientRequestContext) -> wire.ListRootsResult:
        return wire.ListRootsResult(
            roots=[wire.Root(uri=FileUrl(uri), name="workspace") for uri in self.channel.roots]
        )


def _wrong(error: Exception) -> str:
    """What makes no sense, unless it is so much that to write it down takes a while."""
    if isinstance(error, ValidationError) and error.error_count() > _MOST_WRONG:
        return f"{error.error_count():,} of its values are not what they should be"
    return str(error)


def _first(problem: BaseException | None) -> BaseException | None:
    """What went wrong first, where the SDK gathered several things."""
    while isinstance(problem, BaseExceptionGroup):
        problem = cast("BaseExceptionGroup[BaseException]", problem).exceptions[0]
    return problem
