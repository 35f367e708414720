"""One model call, from the limits before it to the count after it: the only way to a model.

What the provider counted is noted as it says. Where it did not (the call was cancelled, cut off, or answered without a
count that can be true), what went out and what came in are estimated: a call that was sent is never free.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from bottega.agents.context.estimate import tokens
from bottega.agents.context.measure import request_tokens
from bottega.agents.limits import LimitReached
from bottega.agents.model import Model
from bottega.errors import StorageFailed
from bottega.ids import fresh
from bottega.messages.block import Reasoning, Text, ToolResult
from bottega.messages.message import Usage
from bottega.providers import catalog
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    ReasoningPiece,
    Request,
    Reset,
    Retrying,
    StreamEvent,
    TextPiece,
)
from bottega.sessions import spent
from bottega.sessions.session import HOST
from bottega.sessions.spent import Used
from bottega.storage.database import Database
from bottega.workers.acting.scene import Scene
from bottega.workers.acting.shield import to_its_end
from bottega.workers.acting.under_way import UnderWay
from bottega.workers.paying.limiting import Limiting
from bottega.workers.paying.plausible import plausible

if TYPE_CHECKING:
    import sqlite3

OUTPUT = 4_000
"""Tokens that an answer is taken for which nobody bounds, until it is there."""
STEP = 2_000
"""Characters that a guest's answer grows by until it is looked at again how near their limit is."""
LARGE = 128 * 1024
"""Characters of a request from which on they are not counted on the event loop."""


class Metering:
    """The model calls of one exchange."""

    def __init__(self, exchange: Scene, limiting: Limiting, database: Database) -> None:
        self._exchange = exchange
        self._limiting = limiting
        self._database = database

    @asynccontextmanager
    async def calling(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        """What the model says to it. Raises `LimitReached` before anything is sent."""
        model, hands = self._exchange.plan.model, self._exchange.hands
        if (owner := self._exchange.session.owner) != HOST:  # what the model writes is kept, too
            await asyncio.to_thread(hands.admit, owner, 0)
        size = await _measured(request)
        about = await self._about(model, Usage(size, request.max_output or OUTPUT))
        call = await self._limiting.begin(about)
        row = fresh("call")
        self._begin(row, about, model.name)
        stream = model.provider.stream(request)
        grown = partial(self._grown, call, size, model) if owner != HOST else None
        reading = _Reading(stream, grown)
        try:
            async with model.place(), aclosing(stream):
                reading.is_sent = True
                yield reading
        finally:
            unsaid = await to_its_end(_guessed(reading, size, model))
            self._end(call, row, model, reading.finished, unsaid)

    def _grown(
        self, call: UnderWay, size: int, model: Model, tries: int, written: float
    ) -> LimitReached | None:
        usage = Usage(size * tries, round(written))
        so_far = Used(tokens=_sum(usage), cost=_priced(model, usage))
        return self._limiting.grown(call, so_far)

    async def _about(self, model: Model, usage: Usage) -> Used:
        """What a call may use. The owner's first call does not wait until the list of prices is read."""
        if self._exchange.session.owner == HOST and model.origin and not catalog.is_read():
            return Used(tokens=_sum(usage))
        return Used(tokens=_sum(usage), cost=await _price(model, usage))

    def _begin(self, row: str, about: Used, model: str) -> None:
        n, message_id = self._exchange.session.n, self._exchange.message_id
        self._database.submit(
            lambda c: spent.begin(c, row, n, message_id, about, model), urgent=False
        ).add_done_callback(_heard)

    def _end(
        self, call: UnderWay, row: str, model: Model, said: Finished | None, unsaid: Usage
    ) -> None:
        usage = said.usage + unsaid if said else unsaid
        stated = said.cost if said and said.cost is not None else said and model.price(said)
        guessed = _priced(model, unsaid)
        cost = (stated or 0) + guessed
        note = partial(self._note, row, usage, cost, model.name, unsaid != Usage())
        with suppress(StorageFailed):  # closed meanwhile: the estimate that is stored counts
            stored = self._database.submit(note)
            self._limiting.ended(
                call,
                Used(tokens=_sum(usage), cost=cost),
                Used(tokens=_sum(unsaid), cost=guessed),
                stored,
            )

    def _note(
        self,
        row: str,
        usage: Usage,
        cost: int,
        model: str,
        estimated: bool,
        connection: "sqlite3.Connection",
    ) -> None:
        exchange = self._exchange
        spent.end(connection, row)
        if usage != Usage() or cost:
            spent.note(
                *(connection, exchange.session.n, exchange.message_id, usage, cost, model),
                estimated=estimated,
            )


class _Reading:
    """What a provider says, handed on as it is but for counts that cannot be true, and what of it nobody has counted.

    `grown` is told now and then of how many tries, and how many tokens came in; where it says why, that is the end.
    """

    def __init__(
        self,
        stream: AsyncIterator[StreamEvent],
        grown: Callable[[int, float], LimitReached | None] | None = None,
    ) -> None:
        self._stream = stream
        self._grown = grown
        self._fresh: list[str] = []
        self._fresh_size = 0
        self._written = 0.0
        self._said: list[str] = []
        self._lost: list[list[str]] = []
        """What was said in tries that came to nothing."""
        self._is_void = False
        self._failed: Failed | None = None
        self._waits_until = 0.0
        self.finished: Finished | None = None
        self.is_sent = False
        """Before that, the call waits for its place, and costs nothing."""

    def __aiter__(self) -> "_Reading":
        return self

    async def __anext__(self) -> StreamEvent:
        event = await anext(self._stream)
        if isinstance(event, TextPiece | ReasoningPiece):
            return self._add(event, event.text)
        if isinstance(event, CallPiece):
            return self._add(event, event.name + event.partial_json)
        if isinstance(event, Finished):
            event = plausible(event)
        self._note(event)
        return event

    def _add(self, event: StreamEvent, text: str) -> StreamEvent:
        """The event, or the end in its place."""
        self._said.append(text)
        if self._grown is None:
            return event
        self._fresh.append(text)
        self._fresh_size += len(text)
        if self._fresh_size < STEP:
            return event
        self._written += tokens("".join(self._fresh))
        self._fresh, self._fresh_size = [], 0
        if why := self._grown(1 + len(self._lost), self._written):
            return Failed(why.message, why.code, hint=why.hint)
        return event

    def _note(self, event: StreamEvent) -> None:
        if isinstance(event, Finished):
            self.finished = event
        elif isinstance(event, Failed):
            self._failed = event
        elif isinstance(event, Reset):
            self._lose()
            self._is_void = True
        elif isinstance(event, Retrying):
            if event.unanswered and not self._is_void:
                self._lose()
            self._is_void = False
            self._waits_until = time.monotonic() + event.delay

    def _lose(self) -> None:
        self._lost.append(self._said)
        self._said = []

    def uncounted(self) -> list[str]:
        """What was said in each try that was sent and that no provider has counted."""
        if not self.is_sent:
            return []
        tries = ["".join(each) for each in self._lost]
        if not self._is_counted():
            tries.append("".join(self._said))
        return tries

    def _is_counted(self) -> bool:
        """Whether it is known what the last try used: the provider said so, refused it, or it was not sent yet."""
        if self.finished:
            return self.finished.usage != Usage()
        if self._said:
            return False
        if self._failed:
            return not self._failed.unanswered
        return time.monotonic() < self._waits_until


async def _measured(request: Request) -> int:
    if _characters(request) < LARGE:
        return request_tokens(request)
    return await asyncio.to_thread(request_tokens, request)


def _characters(request: Request) -> int:
    """How long a request is, as far as that takes no time to say."""
    size = len(request.system)
    for message in request.messages:
        for block in message.content:
            parts = block.content if isinstance(block, ToolResult) else (block,)
            size += sum(len(each.text) for each in parts if isinstance(each, Text | Reasoning))
    return size


async def _guessed(reading: _Reading, size: int, model: Model) -> Usage:
    """What nobody has counted, about: all that went out, and all that came in."""
    tries = reading.uncounted()
    if not tries:
        return Usage()
    written = await asyncio.to_thread(lambda: sum(map(tokens, tries)))
    usage = Usage(size * len(tries), round(written))
    await _price(model, usage)  # so that the list of prices is read
    return usage


async def _price(model: Model, usage: Usage) -> int:
    """In a thread: the list of prices may have to be read, and the dearest looked for in it."""
    if not model.origin:
        return _priced(model, usage)
    if not catalog.is_read():
        await asyncio.to_thread(catalog.load)
    return await asyncio.to_thread(_priced, model, usage)


def _priced(model: Model, usage: Usage) -> int:
    if usage == Usage():
        return 0
    return model.price(Finished((), "end_turn", usage)) or 0


def _sum(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _heard(stored: "asyncio.Future[None]") -> None:
    """Nobody waits for it, and where it failed the pen fails too."""
    if not stored.cancelled():
        stored.exception()
