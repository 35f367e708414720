"""One exchange under way, as the one who prompted sees it."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import suppress
from typing import Any

import msgspec

from bottega.errors import Conflict, Problem
from bottega.events import facts, fold
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.events.layers import ToolUseMessage
from bottega.sessions.feed import Feed
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow
from bottega.studio.opened import Opened

Callback = Callable[[Any], Any]

RETRY = 1.0
"""Seconds between two tries to run a prompt that waits in a session which another process holds."""


class Waits(Problem):
    """The exchange cannot go on before something that was asked is answered."""

    code = "approval_required"
    exit_code = 4


class Callbacks(msgspec.Struct, frozen=True):
    on_chunk: Callback | None = None
    on_additional: Callback | None = None
    on_complete: Callback | None = None
    on_approval: Callback | None = None
    """Is given each `Ask`; returns a `Reply`, or None to leave it open."""


NO_CALLBACKS = Callbacks()


class Answer:
    """One exchange under way: iterate over its events, or await its end. Leaving the loop does not stop it.

    With `wait` it goes on while something that was asked is open, however long that takes; without, the iteration ends
    there, and awaiting raises `Waits`.
    """

    def __init__(
        self,
        opened: Opened,
        row: SessionRow,
        prompt: Prompt | str,
        callbacks: Callbacks = NO_CALLBACKS,
        *,
        wait: bool = False,
    ) -> None:
        """`prompt` is what is said, or the id of an exchange that was begun before."""
        self._opened = opened
        self._row = row
        self._prompt = prompt
        self._callbacks = callbacks
        self._wait = wait

    @property
    def message_id(self) -> str:
        return self._prompt if isinstance(self._prompt, str) else self._prompt.message_id

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._events()

    def __await__(self) -> Generator[Any, None, facts.ExchangeResponse]:
        return self._end().__await__()

    async def cancel(self) -> bool:
        """Stop the exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""
        return await self._opened.cancel(self._row, self.message_id)

    async def _end(self) -> facts.ExchangeResponse:
        end: facts.ExchangeResponse | None = None
        async for event in self._events():
            if isinstance(event.data, facts.ExchangeResponse):
                end = event.data
        if end is None and (waiting := self._opened.runtime.asks.open(self._row.n)):
            raise Waits(
                f"The exchange waits for an answer to {waiting[0].asked.question!r}.",
                hint="Answer it with session.answer, or give prompt an on_approval.",
            )
        return end or facts.ExchangeResponse(False, "user_stopped", "cancelled", 0)

    async def _events(self) -> AsyncIterator[Event]:
        log = self._opened.runtime.log
        with log.following(self._row.n) as feed:  # from the first event on: none is read back
            index, running = await self._admit()
            running.add_done_callback(lambda _: feed.wake())
            try:
                async for event in self._followed(feed, index - 1, running):
                    await self._tell(event)
                    yield event
            finally:
                running.cancel()

    async def _admit(self) -> tuple[int, asyncio.Task[None]]:
        if isinstance(self._prompt, str):
            return await self._found(self._prompt), asyncio.create_task(self._see_to_it(None))
        admission, first = await self._opened.admit(self._row, self._prompt)
        return admission.index, asyncio.create_task(self._see_to_it(first))

    async def _found(self, message_id: str) -> int:
        return await self._opened.runtime.inbox.index_of(self._row, message_id)

    async def _see_to_it(self, attending: asyncio.Task[None] | None) -> None:
        """Have the prompt run here as soon as nobody else does; fails where it can no longer run here."""
        while True:
            task = attending or self._opened.attend(self._row)
            attending = None
            if task:
                await asyncio.wait({task})
                if not task.cancelled():
                    task.result()
            if not self._wait and self._only_waits(ran=task is not None):
                return
            await asyncio.sleep(RETRY)

    def _only_waits(self, *, ran: bool) -> bool:
        """Whether nothing goes on before an answer comes; where others run it, their word is its status."""
        runtime = self._opened.runtime
        if not ran and runtime.sessions.numbered(self._row.n).status != "waiting":
            return False
        return bool(runtime.asks.open(self._row.n))

    async def _followed(
        self, feed: Feed, after: int, running: asyncio.Task[None]
    ) -> AsyncIterator[Event]:
        log, n = self._opened.runtime.log, self._row.n
        state, cursor, exchange = fold.EMPTY, after, self.message_id
        while not feed.gone:
            for frame in await log.ahead(n, cursor):
                cursor = frame.events[-1][0]
                for index, body in frame.events:
                    fact = decode(index, body)
                    if _is_taken_up(fact, self.message_id):
                        exchange = fact.message_id
                    if fact.message_id not in (self.message_id, exchange):
                        continue
                    state, seen = fold.step(state, fact)
                    for event in seen:
                        yield event
                    if fact.type in ("exchange_response", "prompt_cancelled"):
                        return
            await feed.wait(cursor, running)
            if running.done() and feed.last_index <= cursor:
                running.result()
                return  # what was asked is open, and nobody waits for the answer here

    async def _tell(self, event: Event) -> None:
        payload = event.data
        if isinstance(payload, facts.TextDelta):
            await call(self._callbacks.on_chunk, payload.text)
        elif isinstance(payload, ToolUseMessage) and payload.complete:
            await call(self._callbacks.on_additional, payload)
        elif isinstance(payload, facts.ExchangeResponse):
            await call(self._callbacks.on_complete, payload.final_response)
        elif isinstance(payload, facts.ApprovalRequired) and self._callbacks.on_approval:
            await self._ask(payload)

    async def _ask(self, asked: facts.ApprovalRequired) -> None:
        """Have the caller answer what is still open; somebody else may be quicker."""
        asks = self._opened.runtime.asks
        ask = asks.get(asked.approval_id)
        if ask.reply is None and (reply := await call(self._callbacks.on_approval, ask)):
            with suppress(Conflict):
                await asks.answer(ask.id, reply, shown=asked.hash)


def _is_taken_up(fact: Event, message_id: str) -> bool:
    """Whether this is a steer, said into an exchange that has another id."""
    return isinstance(fact.data, facts.UserMessage) and fact.data.prompt_id == message_id


async def call(callback: Callback | None, value: Any) -> Any:
    """Call it, and wait for it if it is asynchronous; what it gives."""
    if callback is None:
        return None
    result = callback(value)
    return await result if inspect.isawaitable(result) else result
