"""The asks of one exchange: each is opened once, waited for, and found again by whoever goes on from the log.

While calls wait and nothing else is at work, patience runs out: then the exchange is parked, its worker lets go, and
the answer wakes any worker.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from bottega.errors import Conflict
from bottega.events import facts
from bottega.ids import fresh
from bottega.sessions import asks
from bottega.sessions.asks import Ask, Asks, Reply
from bottega.sessions.pen import Also
from bottega.workers.acting.shield import to_its_end

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds that an exchange with nothing else to do waits in place for an answer."""


class Parked(BaseException):
    """Nothing of the exchange can go on before an answer comes. Like a cancellation, no tool may swallow it."""


class Record(Protocol):
    def __call__(
        self, payload: msgspec.Struct, also: Also | None = None
    ) -> Coroutine[Any, Any, None]: ...


class _Wait:
    def __init__(self, ask: Ask, is_allowed: Callable[[], Awaitable[bool]] | None) -> None:
        self.ask = ask
        self.is_allowed = is_allowed
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()


class Asking:
    def __init__(
        self,
        rows: Asks,
        record: Record,
        n: int,
        message_id: str,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._rows = rows
        self._record = record
        self.n = n
        """The session in which is asked: a child asks in the one at the top."""
        self._message_id = message_id
        self._patience = patience
        self._waits: dict[str, _Wait] = {}
        self._busy = 0
        self._timer: asyncio.TimerHandle | None = None
        self.parked = False
        """Patience has run out."""
        self.on_wait: Callable[[], None] = lambda: None
        """Called when something is waited for."""

    @property
    def has_open(self) -> bool:
        """Something is asked, or just about to be."""
        return bool(self._waits)

    @property
    def only_waits(self) -> bool:
        """Calls wait for answers, and nothing else is at work."""
        return bool(self._waits) and not self._busy

    async def at_work(self, work: Awaitable[T]) -> T:
        """Await a call, or what else is done; while it waits for an answer it does not count as work."""
        self._work(1)
        try:
            return await work
        finally:
            self._work(-1)

    @contextmanager
    def resting(self) -> Generator[None]:
        """A child's calls are at work in place of the call that started it."""
        self._work(-1)
        try:
            yield
        finally:
            self._work(1)

    async def ask(
        self,
        asked: facts.ApprovalRequired,
        arguments: dict[str, Any],
        is_allowed: Callable[[], Awaitable[bool]] | None = None,
        *,
        may_park: bool = True,
        on_open: Callable[[], None] = lambda: None,
        far: bool = False,
        record: Record | None = None,
    ) -> Ask:
        """This with its answer; was asked before, or is asked now. Raises `Parked` when patience runs out.

        A call that may not `park` has begun to act: it waits in place, however long.
        `is_allowed` is looked at again when something else was allowed for the whole session.
        What another Bottega asks (`far`) is known by its id, and may be recorded otherwise.
        """
        known = self._rows.exactly(asked.approval_id) if far else self._known(asked)
        if known and known.reply:
            return known
        if self.parked:
            raise Parked
        ask = known or Ask(
            asked.approval_id or fresh("ask"), self.n, self._message_id, 0, asked, arguments
        )
        wait = self._waits[ask.id] = _Wait(ask, is_allowed)
        try:
            if not known:
                asked = msgspec.structs.replace(asked, approval_id=ask.id)
                # To its end, whatever comes: who closes what is open must find it there.
                insert = partial(_insert, self.n, self._message_id, asked, arguments, far)
                await to_its_end((record or self._record)(asked, insert))
            elif (again := self._rows.get(ask.id)).reply:  # before this one listened
                return again
            on_open()
            self.on_wait()
            self._work(-may_park)
            try:
                return msgspec.structs.replace(ask, reply=await wait.reply)
            finally:
                self._work(may_park)
        finally:
            del self._waits[ask.id]

    def _known(self, asked: facts.ApprovalRequired) -> Ask | None:
        earlier = self._rows.of_call(self.n, self._message_id, asked.tool_id)
        same = [ask for ask in earlier if (ask.kind, ask.asked.hash) == (asked.kind, asked.hash)]
        return same[-1] if same else None

    def hear(self, resolved: facts.ApprovalResolved) -> None:
        """Somebody answered; who stops the exchange cancels it as well, and nothing more comes of the call."""
        if resolved.answer == "stop":
            return
        wait = self._waits.get(resolved.approval_id)
        if wait and not wait.reply.done():
            reply = self._rows.get(resolved.approval_id).reply
            assert reply is not None
            wait.reply.set_result(reply)

    async def look_again(self) -> None:
        """More is allowed than before: what waits only for that no longer waits."""
        for wait in list(self._waits.values()):
            if wait.is_allowed is None or not await wait.is_allowed() or wait.reply.done():
                continue
            reply = Reply("allow_once", "Covered by what was allowed for this session.")
            with suppress(Conflict):  # answered at the same moment: that answer is on its way
                await self._settle(wait.ask, reply)
                if not wait.reply.done():
                    wait.reply.set_result(reply)

    async def close(self, child: str = "") -> None:
        """Nothing that was asked matters any more; of a child, only what it asked."""
        for ask in self._rows.open(self.n):
            if child and ask.child != child:
                continue
            if ask.message_id == self._message_id and ask.kind != "plan":
                with suppress(Conflict):
                    await self._settle(ask, Reply("closed"))

    async def drop_plans(self) -> None:
        """The conversation went on: what was planned before is not to be accepted by accident."""
        for ask in self._rows.open(self.n):
            if ask.kind == "plan" and ask.message_id != self._message_id:
                with suppress(Conflict):
                    await self._settle(ask, Reply("closed"))

    async def settle(self, ask: Ask, reply: Reply, record: Record | None = None) -> None:
        """It was answered at another Bottega: whoever waits here hears of it."""
        await self._settle(ask, reply, record)
        self.hear(asks.resolved(ask, reply))

    async def _settle(self, ask: Ask, reply: Reply, record: Record | None = None) -> None:
        await (record or self._record)(
            asks.resolved(ask, reply), lambda connection: asks.settle(connection, ask, reply)
        )

    def _work(self, change: int) -> None:
        self._busy += change
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self.only_waits:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._patience, self._park)

    def _park(self) -> None:
        if any(wait.reply.done() for wait in self._waits.values()):
            return  # an answer has just come: there is work again
        self.parked = True
        for wait in self._waits.values():
            wait.reply.set_exception(Parked())


def _insert(
    n: int,
    message_id: str,
    asked: facts.ApprovalRequired,
    arguments: dict[str, Any],
    far: bool,
    connection: Any,
) -> None:
    asks.insert(connection, n, message_id, asked, arguments, far=far)
