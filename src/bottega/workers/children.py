"""Tasks that the calls of one exchange hand to other agents: each runs in a session of its own, a child of this one.

A call finds the child that it started before, so that a restart goes on with it. What a child asks is asked in the
session at the top; what it uses counts to its parents. It ends with the call that started it, whatever happens.
"""

import asyncio
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager

import msgspec

from bottega.errors import BadUsage, NotFound
from bottega.events import facts
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.messages.block import Text, tool_uses
from bottega.runtime import DEEPEST
from bottega.sessions.inbox import Inbox, Place, Prompt
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.workers.acting.asking import Parked
from bottega.workers.acting.scene import Done, Scene, Show
from bottega.workers.acting.shield import whatever_comes

RETRY = 1.0
"""Seconds between two tries to run a child that another process holds."""


class Runs(msgspec.Struct, frozen=True):
    """A worker, as far as children need it."""

    attend: Callable[[SessionRow], asyncio.Task[None]]
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
        child, prompt = await self._begun(tool_id, agent, task)
        with self._runs.adopt(prompt.message_id):
            try:
                response = await self._followed(child, prompt.message_id, show)
            except asyncio.CancelledError:
                if not exchange.asking.parked and not exchange.leaving:
                    await whatever_comes(self._stopped(child, prompt.message_id))
                raise
        return Done(child.id, response)

    async def stop(self) -> None:
        """End what children of this exchange still do: it has ended, or is about to."""
        if not self.may_be:
            return
        for child in self._sessions.children(self._exchange.session.n, self._exchange.message_id):
            if under_way := self._inbox.unfinished(child):
                await self._stopped(child, under_way)

    async def _begun(self, tool_id: str, agent: str, task: str) -> tuple[SessionRow, Prompt]:
        self.may_be = True
        exchange, parent = self._exchange, self._exchange.session
        # With its step: some servers number their calls anew in every answer.
        call = f"{exchange.message_id}/{exchange.step}/{tool_id}"
        found = self._sessions.child(parent.n, call)
        child = found or await self._sessions.create(
            model="",
            agent=agent,
            folder=parent.folder,
            parent=parent,
            parent_call=call,
        )
        if found is None or not await self._was_told(child):
            await exchange.record(facts.ChildStarted(tool_id, child.id, agent, task))
        # Named by the call: whoever goes on after a crash says the same, and it is said once.
        said = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{child.id}/{call}"))
        prompt = Prompt(said, (Text(task),), attended=exchange.plan.attended)
        await self._inbox.admit(child, prompt, by=self._runs.place)
        return child, prompt

    async def _was_told(self, child: SessionRow) -> bool:
        """Whether the parent's log names the child: a crash may have come between making and telling it."""
        kind = b'{"type":"child_started"'
        rows = await self._log.facts(self._exchange.session.n)
        told = (decode(index, body).data for index, body in rows if body.startswith(kind))
        return any(each.session_id == child.id for each in told)

    async def _followed(
        self, child: SessionRow, message_id: str, show: Show
    ) -> facts.ExchangeResponse:
        """Mind the child's log until its exchange has ended."""
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
                        if fact.message_id == message_id and (end := _told(fact, show)):
                            return end
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

    async def _stopped(self, child: SessionRow, message_id: str) -> None:
        await self._inbox.interrupt(child, message_id)
        await asyncio.wait({self._runs.attend(child)})


def _told(fact: Event, show: Show) -> facts.ExchangeResponse | None:
    what = fact.data
    if isinstance(what, facts.ExchangeResponse):
        return what
    if isinstance(what, facts.AssistantMessage):
        for use in tool_uses(what.content):
            show(f"{use.name} {_brief(use.input)}".rstrip() + "\n")
    elif isinstance(what, facts.ErrorMessage):
        show(f"{what.message}\n")
    return None


def _brief(arguments: dict[str, object]) -> str:
    """The first thing that a call is about."""
    first = next((str(each) for each in arguments.values() if isinstance(each, str)), "")
    line = first.strip().partition("\n")[0]
    return line if len(line) <= 80 else line[:79] + "…"
