"""Tasks that the calls of one exchange hand to other agents: each runs in a session of its own, a child of this one.

A call finds the child that it started before, so that a restart goes on with it. What a child asks is asked in the
session at the top; what it uses counts to its parents. It ends with the call that started it, whatever happens.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager

import msgspec

from bottega.errors import BadUsage, NotFound
from bottega.events import facts
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.failpoint import failpoint
from bottega.ids import fresh_session
from bottega.messages.block import Text, tool_uses
from bottega.runtime import DEEPEST
from bottega.sessions.inbox import Inbox, Place, Prompt
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions, insert_child
from bottega.workers.acting.asking import Parked
from bottega.workers.acting.scene import Done, Scene, Show
from bottega.workers.acting.shield import whatever_comes

RETRY = 1.0
"""Seconds between two tries to run a child that another process holds."""
GRACE = 5.0
"""Seconds that a child has to end by itself where its parent's time is up."""


class Runs(msgspec.Struct, frozen=True):
    """A worker, as far as children need it."""

    attend: Callable[[SessionRow], asyncio.Task[None]]
    at_work: Callable[[int], asyncio.Task[None] | None]
    """The task that attends that session now, if one does."""
    adopt: Callable[[str], AbstractContextManager[None]]
    """While this lasts, the exchange of that id carries out a call of ours."""
    place: Place


class Children:
    def __init__(self, exchange: Scene, runs: Runs, log: Log) -> None:
        self._exchange = exchange
        self._runs = runs
        self._log = log
        self._inbox = Inbox(log)
        self._sessions = Sessions(log.database)
        self.may_be = False
        """There may be some: one was begun here, or before a restart."""

    async def run(self, tool_id: str, agent: str, task: str, show: Show) -> Done:
        """Have an agent carry the task out, and wait for its end; `show` is told what it does."""
        exchange = self._exchange
        if exchange.session.depth >= DEEPEST:
            raise BadUsage(
                f"A task can be handed on {DEEPEST} times at most.", hint="Do this part yourself."
            )
        with exchange.hands.handing_on(exchange.session.owner):
            return await self._run(tool_id, agent, task, show)

    async def _run(self, tool_id: str, agent: str, task: str, show: Show) -> Done:
        exchange = self._exchange
        child, told = await self._begun(tool_id, agent, task)
        with self._runs.adopt(child.task_id):
            try:
                response = await self._followed(child, told, show)
            except (asyncio.CancelledError, Parked):
                if exchange.asking.parked or exchange.leaving:
                    await whatever_comes(self._let_go(child))
                else:
                    if exchange.is_late:  # its child is so too, and says it better
                        await whatever_comes(self._let_go(child, GRACE))
                    await whatever_comes(self._stopped(child))
                raise
        return Done(child.id, response)

    async def stop(self) -> dict[str, facts.ExchangeResponse]:
        """End what children of this exchange still do: it has ended, or is about to. How each ended, by its call."""
        if not self.may_be:
            return {}
        exchange = self._exchange
        ends: dict[str, facts.ExchangeResponse] = {}
        for child in self._sessions.children(exchange.session.n, exchange.message_id):
            await self._stopped(child)
            tool_id = child.parent_call.split("/", 2)[-1]
            if tool_id in exchange.track.calls and (end := await self._end(child)):
                ends[tool_id] = end
        return ends

    async def _begun(self, tool_id: str, agent: str, task: str) -> tuple[SessionRow, int]:
        """The child that this call has, and how much of its log was told before."""
        self.may_be = True
        exchange, parent = self._exchange, self._exchange.session
        # With its step: some servers number their calls anew in every answer.
        call = f"{exchange.message_id}/{exchange.step}/{tool_id}"
        child = self._sessions.child(parent.n, call)
        told = child.last_index if child else 0
        if child is None:
            session_id = fresh_session()
            await exchange.record(
                facts.ChildStarted(tool_id, session_id, agent, task),
                lambda connection: insert_child(connection, session_id, parent, agent, call),
            )
            child = self._sessions.get(session_id)
        failpoint("children.after_start")
        # Admitted once: whoever goes on after a crash says the same.
        plan = exchange.plan
        prompt = Prompt(
            child.task_id,
            (Text(task),),
            attended=plan.attended,
            hops=plan.hops,
            above=(*plan.above, plan.agent.slug),
        )
        await self._inbox.admit(child, prompt, by=self._runs.place)
        return child, told

    async def _followed(self, child: SessionRow, told: int, show: Show) -> facts.ExchangeResponse:
        """Mind the child's log until its exchange has ended; what was told before is not shown again."""
        cursor = 0
        with self._log.following(child.n) as feed:
            while not feed.gone:
                task = self._runs.attend(child)
                task.add_done_callback(lambda _: feed.wake())
                over = False
                while not over:
                    over, reached = task.done(), feed.last_index
                    for index, body in await self._log.facts(child.n, cursor):
                        fact = decode(index, body)
                        if fact.message_id != child.task_id:
                            continue
                        if end := _ended(fact):
                            failpoint("children.after_end")
                            return end
                        if index > told:
                            _tell(fact, show)
                    cursor = reached
                    await feed.wait(cursor, task)
                self._check(task)
                await asyncio.sleep(RETRY)  # another process runs it
        raise NotFound("The session of this task was deleted.")

    def _check(self, task: asyncio.Task[None]) -> None:
        """The child's worker let go before the end: it waits for somebody, or cannot write any more."""
        if not task.cancelled():
            task.result()
        if self._exchange.asking.parked:
            raise Parked

    async def _let_go(self, child: SessionRow, seconds: float | None = None) -> None:
        """Nothing can go on before an answer comes: the child lets go too, before its parent does."""
        if task := self._runs.at_work(child.n):
            await asyncio.wait({task}, timeout=seconds)

    async def _stopped(self, child: SessionRow) -> None:
        """End the task of a child, however far it is; its parent says how where a dead process left it."""
        if await self._inbox.cancel(child, child.task_id):
            await asyncio.wait({self._runs.attend(child)})  # a dead one may have held it
            return
        closing = self._exchange.closing
        if closing and closing.reason == "interrupted" and self._is_under_way(child):
            with self._runs.adopt(child.task_id):
                await asyncio.wait({self._runs.attend(child)})
        if self._is_under_way(child):
            await self._inbox.interrupt(child, child.task_id)
            await asyncio.wait({self._runs.attend(child)})

    def _is_under_way(self, child: SessionRow) -> bool:
        return self._inbox.is_running(child.n, child.task_id)

    async def _end(self, child: SessionRow) -> facts.ExchangeResponse | None:
        for index, body in reversed(await self._log.facts(child.n)):
            fact = decode(index, body)
            if fact.message_id == child.task_id and (end := _ended(fact)):
                return end
        return None


def _ended(fact: Event) -> facts.ExchangeResponse | None:
    if isinstance(fact.data, facts.PromptCancelled):  # taken back before it began
        return facts.ExchangeResponse(False, "user_stopped", "cancelled", 0)
    return fact.data if isinstance(fact.data, facts.ExchangeResponse) else None


def _tell(fact: Event, show: Show) -> None:
    what = fact.data
    if isinstance(what, facts.AssistantMessage):
        for use in tool_uses(what.content):
            show(f"{use.name} {_brief(use.input)}".rstrip() + "\n")
    elif isinstance(what, facts.ErrorMessage):
        show(f"{what.message}\n")


def _brief(arguments: dict[str, object]) -> str:
    """The first thing that a call is about."""
    first = next((str(each) for each in arguments.values() if isinstance(each, str)), "")
    line = first.strip().partition("\n")[0]
    return line if len(line) <= 80 else line[:79] + "…"
