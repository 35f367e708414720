"""What another Bottega asks in an exchange that it answers: asked here too, and answered there with what is said here.

An ask keeps its id and its hash, so that what is answered is what was shown. The first answer counts, here or there.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from bottega.errors import Conflict
from bottega.events import facts
from bottega.events.event import Carried
from bottega.sessions import asks
from bottega.sessions.asks import Ask, Reply, Word
from bottega.sessions.pen import Also
from bottega.workers.acting.asking import Record
from bottega.workers.acting.question import by_child
from bottega.workers.far.other import Other

if TYPE_CHECKING:
    from bottega.workers.exchange import Exchange


class Put(Protocol):
    """Carry facts over, with what else belongs into their transaction."""

    def __call__(self, told: list[Carried], *also: Also) -> Coroutine[Any, Any, None]: ...


class FarAsks:
    def __init__(self, exchange: "Exchange", other: Other, put: Put) -> None:
        self._exchange = exchange
        self._other = other
        self._put = put
        self.tasks: set[asyncio.Task[None]] = set()
        """One for each that waits for an answer."""
        self._settled: set[str] = set()
        """Those that were answered there."""

    def take_up(self) -> None:
        """What was asked before a restart: wait for its answer again, or pass on the one that came."""
        exchange = self._exchange
        for ask in exchange.hands.asks.far(exchange.asking.n, exchange.top.message_id):
            if ask.child == (exchange.session.id if exchange.parent else "") and ask.kind != "plan":
                self._wait(ask.asked, ask.input)

    def check(self) -> None:
        """Raise what came of those that are over: `Parked`, or that the server is gone."""
        for task in [each for each in self.tasks if each.done()]:
            self.tasks.discard(task)
            if not task.cancelled():
                task.result()

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def required(self, fact: Carried) -> None:
        """Ask it here; returns once that is in the log."""
        exchange, asked = self._exchange, cast("facts.ApprovalRequired", fact.data)
        known = exchange.hands.asks.exactly(asked.approval_id)
        if known and not self._is_ours(known):
            await self._put([fact])  # it came around: another session of this home asks it
            return
        if asked.kind == "plan":
            await self._offered(fact, asked)
            return
        arguments = await self._other.arguments(asked.approval_id)
        opened = asyncio.Event()
        task = self._wait(by_child(asked, exchange), arguments, fact, opened.set)
        waiting = asyncio.create_task(opened.wait())
        await asyncio.wait({waiting, task}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def _offered(self, fact: Carried, asked: facts.ApprovalRequired) -> None:
        exchange = self._exchange
        if exchange.parent:  # it is the parent's to make something of
            return
        n, message_id = exchange.session.n, exchange.message_id
        await self._put([fact], lambda c: asks.insert(c, n, message_id, asked, {}, far=True))

    async def resolved(self, fact: Carried) -> None:
        """It was answered there: if nobody here was first, that is the answer."""
        exchange, told = self._exchange, cast("facts.ApprovalResolved", fact.data)
        ask = exchange.hands.asks.exactly(told.approval_id)
        if ask is None or not self._is_ours(ask):
            await self._put([fact])
        elif ask.reply is None:
            word = cast("Word", told.answer)
            self._settled.add(ask.id)
            try:
                reply = Reply(word, told.note, told.input, told.grant, told.person)
                await exchange.asking.settle(ask, reply, self._recording(fact))
            except Conflict:  # somebody here, at the same moment
                self._settled.discard(ask.id)
        elif told.answer not in (ask.reply.word, "closed"):
            await self._put([fact])

    def _is_ours(self, ask: Ask) -> bool:
        """Whether it was asked there, in this exchange: no other may be answered from there."""
        exchange = self._exchange
        return ask.far and (ask.session, ask.message_id) == (
            exchange.asking.n,
            exchange.top.message_id,
        )

    def _recording(self, fact: Carried | None) -> Record | None:
        """How the ask gets into the log: as it is; a child asks at the top, in words of its own."""
        if fact is None or self._exchange.parent:
            return None

        async def record(payload: msgspec.Struct, also: Also | None = None) -> None:
            await self._put([fact], *([also] if also else []))

        return record

    def _wait(
        self,
        asked: facts.ApprovalRequired,
        arguments: dict[str, Any],
        fact: Carried | None = None,
        on_open: Callable[[], None] = lambda: None,
    ) -> asyncio.Task[None]:
        task = asyncio.create_task(self._answered(asked, arguments, fact, on_open))
        self.tasks.add(task)
        return task

    async def _answered(
        self,
        asked: facts.ApprovalRequired,
        arguments: dict[str, Any],
        fact: Carried | None,
        on_open: Callable[[], None],
    ) -> None:
        exchange = self._exchange
        waiting = exchange.asking.ask(
            asked,
            arguments,
            # Where somebody is there, what comes from there meanwhile is seen at once.
            may_park=not exchange.plan.attended,
            on_open=on_open,
            far=True,
            record=self._recording(fact),
        )
        ask = await (waiting if exchange.parent else exchange.asking.at_work(waiting))
        if ask.id not in self._settled and ask.reply and ask.reply.word not in ("stop", "closed"):
            await self._other.answer(ask)
