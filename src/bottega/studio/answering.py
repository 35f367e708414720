"""The half of an answer that is the same wherever its exchange runs: in this process, or behind an address.

Whoever has the facts of a session in order, from the prompt on, gets the exchange's events out of them by the same
fold, with the same callbacks and the same end.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing, suppress
from typing import Any

import msgspec

from bottega.errors import Conflict, Problem
from bottega.events import facts, fold
from bottega.events.event import Event
from bottega.events.layers import ToolUseMessage
from bottega.sessions.asks import Ask, Reply

Callback = Callable[[Any], Any]


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


class Course:
    """Which facts of a session belong to one exchange, and what they show; `over` once its end was seen."""

    def __init__(self, message_id: str) -> None:
        self._message_id = message_id
        self._exchange = message_id
        self._state = fold.EMPTY
        self.over = False

    def take(self, fact: Event) -> tuple[Event, ...]:
        """What is seen with this fact; nothing, if it is another exchange's."""
        if _is_taken_up(fact, self._message_id):
            self._exchange = fact.message_id
        if fact.message_id not in (self._message_id, self._exchange):
            return ()
        self._state, seen = fold.step(self._state, fact)
        self.over = fact.type in ("exchange_response", "prompt_cancelled")
        return tuple(seen)


class Answering(ABC):
    """One exchange under way: iterate over its events, or await its end. Leaving the loop does not stop it."""

    def __init__(self, message_id: str, callbacks: Callbacks) -> None:
        self.message_id = message_id
        self._callbacks = callbacks

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._events()

    def __await__(self) -> Generator[Any, None, facts.ExchangeResponse]:
        return self._end().__await__()

    @abstractmethod
    async def cancel(self) -> bool:
        """Stop the exchange, whoever runs it, or take the prompt back if it still waits; False if it is over."""

    @abstractmethod
    def _facts(self) -> AsyncGenerator[Event]:
        """The session's facts from the prompt on; ends where the exchange waits for what nobody here answers."""

    @abstractmethod
    async def _waiting(self) -> list[Ask]:
        """What waits for an answer in the session."""

    @abstractmethod
    async def _find(self, ask_id: str) -> Ask:
        """The ask of that id, answered or not."""

    @abstractmethod
    async def _reply(self, ask: Ask, reply: Reply) -> None:
        """Answer it."""

    async def _end(self) -> facts.ExchangeResponse:
        end: facts.ExchangeResponse | None = None
        async for event in self._events():
            if isinstance(event.data, facts.ExchangeResponse):
                end = event.data
        if end is None and (waiting := await self._waiting()):
            raise Waits(
                f"The exchange waits for an answer to {waiting[0].asked.question!r}.",
                hint="Answer it with session.answer, or give prompt an on_approval.",
            )
        return end or facts.ExchangeResponse(False, "user_stopped", "cancelled", 0)

    async def _events(self) -> AsyncGenerator[Event]:
        course = Course(self.message_id)
        async with aclosing(self._facts()) as stored:
            async for fact in stored:
                for event in course.take(fact):
                    await self._tell(event)
                    yield event
                if course.over:
                    return

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
        ask = await self._find(asked.approval_id)
        if ask.reply is None and (reply := await call(self._callbacks.on_approval, ask)):
            with suppress(Conflict):
                await self._reply(ask, reply)


def _is_taken_up(fact: Event, message_id: str) -> bool:
    """Whether this is a steer, said into an exchange that has another id."""
    return isinstance(fact.data, facts.UserMessage) and fact.data.prompt_id == message_id


async def call(callback: Callback | None, value: Any) -> Any:
    """Call it, and wait for it if it is asynchronous; what it gives."""
    if callback is None:
        return None
    result = callback(value)
    return await result if inspect.isawaitable(result) else result
