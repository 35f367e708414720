"""One conversation with one server, from greeting to end, kept by a task of its own.

Whoever asks may be cancelled, and then the server is told so; the conversation goes on. Once it is over, `reason`
says why, and nothing of the server is left.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from importlib.metadata import version
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import anyio
import mcp_types as wire
from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from pydantic import FileUrl, ValidationError

from bottega.errors import Problem
from bottega.mcp.channel import Changed, Channel, Patience
from bottega.mcp.problems import Refusal, TooSlow, Unavailable, Unknown, plain

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

T = TypeVar("T")

_CLOSING = 5.0
MOST_PARTS = 1_000
"""Texts, pictures and links in one answer."""
MOST_ASKED = 32
"""Requests of the server that are not answered yet, because it does not read."""
LONGEST_ID = 256
"""Letters of the id of one, which the answer repeats; bits of a number."""
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


class _Asked:
    """What the server asks of us, until we have answered: so much, and under short names."""

    def __init__(self, end: Callable[[str], None]) -> None:
        self._end = end
        self._waiting: Counter[str] = Counter()

    def heard(self, message: object) -> bool:
        """Note a message; False: it is one too many, and the conversation ends."""
        match message:
            case wire.JSONRPCRequest(id=given):
                if (len(given) if isinstance(given, str) else given.bit_length()) > LONGEST_ID:
                    self._end("It asks something under an id that is too long.")
                    return False
                self._waiting[str(given)] += 1
                if self._waiting.total() > MOST_ASKED:
                    self._end("It asks, and does not read the answers.")
                    return False
            case wire.JSONRPCNotification(method="notifications/cancelled", params=dict() as told):
                self._settle(told.get("requestId"))
            case _:
                pass
        return True

    def said(self, message: object) -> None:
        if isinstance(message, wire.JSONRPCResponse | wire.JSONRPCError):
            self._settle(message.id)

    def _settle(self, given: object) -> None:
        if isinstance(given, str | int) and self._waiting[name := str(given)]:
            self._waiting[name] -= 1
            self._waiting += Counter()  # without those of which none waits


class _Incoming:
    """What the server says, as long as it is not too much."""

    def __init__(self, stream: "ReadStream[SessionMessage | Exception]", asked: _Asked) -> None:
        self._stream = stream
        self._asked = asked

    @property
    def last_context(self) -> Context | None:
        """In which the last message was sent, where the SDK knows it."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> "SessionMessage | Exception":
        item = await self._stream.receive()
        if not isinstance(item, Exception) and not self._asked.heard(item.message):
            raise anyio.EndOfStream
        return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> "SessionMessage | Exception":
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)


class _Outgoing:
    """What is said to the server."""

    def __init__(self, stream: "WriteStream[SessionMessage]", asked: _Asked) -> None:
        self._stream = stream
        self._asked = asked

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        self._asked.said(item.message)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)


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
                f" {plain(self.channel.tidy(_wrong(error), 2_400), 300)}"
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
                asked = _Asked(self.end)
                self.dispatcher = _Dispatcher(
                    _Incoming(incoming, asked), _Outgoing(outgoing, asked)
                )
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
        return f"{plain(self.channel.tidy(said, 2_400), 300).rstrip('.')}."

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
        said = plain(self.channel.tidy(error.message, 3_200), 400) or "no reason given"
        detail = self.channel.detail()
        if error.message == FORGOTTEN:
            self.end("It has forgotten this conversation.")
        kind = Unknown if error.code == wire.METHOD_NOT_FOUND else Refusal
        return kind(f"The MCP server {self.name!r} refused: {said} {detail}".rstrip())

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
