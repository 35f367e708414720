"""A worker: takes sessions' leases, runs their prompts in order, and goes on where a dead one left off."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial

import msgspec

from bottega.agents.plan import Plan
from bottega.agents.world import Ended
from bottega.errors import Conflict, Fenced, StorageFailed
from bottega.events import facts
from bottega.fairness import acting_for
from bottega.ids import fresh
from bottega.messages.message import Message
from bottega.projects.folders import place_of
from bottega.sessions import asks, inbox, spent
from bottega.sessions import lease as leases
from bottega.sessions.attach import Attachments
from bottega.sessions.inbox import Place, Prompt
from bottega.sessions.lease import Contender, Lease
from bottega.sessions.log import Log
from bottega.sessions.pen import Pen
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.told.history import replay
from bottega.sessions.turning import turned_over
from bottega.storage.home import Life
from bottega.workers.acting.asking import Parked
from bottega.workers.acting.hands import Hands
from bottega.workers.acting.shield import whatever_comes
from bottega.workers.children import Children, Runs
from bottega.workers.crash.parking import park
from bottega.workers.crash.policy import MAX_TAKEOVERS, Crash, Decide, OnCrash, always
from bottega.workers.crash.recover import track_of
from bottega.workers.exchange import Exchange
from bottega.workers.minding import mind
from bottega.workers.recall import Recall, Recalled
from bottega.workers.run import STOPPED, begin, carry_out, finish

_log = logging.getLogger(__name__)

MakePlan = Callable[[SessionRow, Prompt], Awaitable[Plan]]

_INTERRUPTED = Ended(False, "interrupted", "interrupted")
_CLOSES = always("close")
LAST_WORDS = 2.0
"""Seconds that exchanges have to let go, where this process ends before they do."""
LOOK = 0.1
"""Seconds between two looks whether what runs has come to its end."""


class Worker:
    def __init__(
        self,
        log: Log,
        attachments: Attachments,
        plan: MakePlan,
        hands: Hands,
        *,
        on_crash: Decide = _CLOSES,
        place: Place = "python",
    ) -> None:
        self._log = log
        self._attachments = attachments
        self._plan = plan
        self._hands = hands
        self._decide = on_crash
        self._place: Place = place
        self.crowded: Callable[[], bool] = lambda: False
        """Whether others wait for a place here: a session gives way then, once one of its prompts is done."""
        self.tops: dict[int, int] = {}
        """The sessions without parents that are attended now, and whose each is."""
        self._ends = False
        self._held: set[int] = set()
        """The sessions whose lease is in use here."""
        self._life = Life(log.database.home, fresh("wrk"))
        self.contender = Contender(log.database.home, self._life.worker, self._held)
        self._inbox = inbox.Inbox(log)
        self._sessions = Sessions(log.database)
        self._recall = Recall()
        self._mended: dict[int, asyncio.Event] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._running: set[Exchange] = set()
        self._carrying: dict[Exchange, asyncio.Task[list[Message] | None]] = {}
        """The task that carries each of them out."""
        self.said: set[str] = set()
        """The ids of prompts that were said, or are waited for, in this process, until they have run."""
        self._to_compact: set[int] = set()
        """Sessions of which somebody wanted a compaction, in an exchange that made no further model call."""
        self._adopted: dict[str, Exchange] = {}
        """By the id of a child's exchange: the one whose call it carries out."""

    async def close(self) -> None:
        """Cancel what runs, wait until its end is in the log, and die. What waits for an answer goes on waiting.

        What was said in another process is not ours to cancel: it is handed over to whoever waits for it.
        """
        for exchange in self._running:
            exchange.hands_over = exchange.top.message_id not in self.said
            exchange.leaving = exchange.asking.has_open
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._life.end()

    async def leave(self, grace: float) -> None:
        """End without ending what runs: give it a moment to finish, then leave it to whoever comes next.

        No further prompt is begun. What was streamed is kept, and calls that have begun are told as interrupted.
        """
        self._ends = True
        until = time.monotonic() + grace
        while (busy := self._busy()) and (left := until - time.monotonic()) > 0:
            await asyncio.wait(busy, timeout=min(left, LOOK), return_when=asyncio.FIRST_COMPLETED)
        for exchange in self._running:
            exchange.leaving = exchange.hands_over = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=LAST_WORDS)

    def _busy(self) -> set[asyncio.Task[None]]:
        """What may still come to its end by itself: not what waits for somebody."""
        waits = {each.session.n for each in self._running if each.asking.only_waits}
        return {task for n, task in self._tasks.items() if n not in waits and not task.done()}

    def attend(self, session: SessionRow, lease: Lease | None = None) -> asyncio.Task[None]:
        """Run what waits in this session, as soon as its lease can be had; one task a session.

        The task ends when nothing waits; it fails where the log can no longer be written.
        """
        before = self._tasks.get(session.n)
        if before and not before.done() and lease is None:
            return before
        with acting_for(session.owner):  # whoever's request has admitted it
            task = asyncio.create_task(self._attend(session, lease, before))
        self._tasks[session.n] = task
        if session.parent is None:
            self.tops[session.n] = session.owner
        task.add_done_callback(lambda done: self._forget(session.n, done))
        return task

    def at_work_for(self) -> list[int]:
        """Of each session without a parent that needs a slot now, whose it is: not of those that only wait."""
        waits = {each.session.n for each in self._running if each.only_waits}
        return [owner for n, owner in self.tops.items() if n not in waits]

    @contextmanager
    def _adopt(self, parent: Exchange, message_id: str) -> Generator[None]:
        """While this lasts, the exchange of that id carries out a call of the parent's."""
        self._adopted[message_id] = parent
        try:
            yield
        finally:
            del self._adopted[message_id]

    def at_work(self, n: int) -> asyncio.Task[None] | None:
        """The task that attends that session now, if one does."""
        task = self._tasks.get(n)
        return task if task and not task.done() else None

    async def mend(self, session: SessionRow) -> None:
        """Return once nothing of this session is left by a dead process, or waits for an answer; the rest runs on.

        What is left of a child is its parent's to see to, which is mended in its place.
        """
        if session.parent is not None and self._inbox.is_running(session.n, session.task_id):
            await self.mend(self._sessions.numbered(session.parent))
            return
        mended = self._mended.setdefault(session.n, asyncio.Event())
        looking = asyncio.create_task(mended.wait())
        try:
            await asyncio.wait({self.attend(session), looking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            looking.cancel()

    async def compact(self, session: SessionRow) -> bool | None:
        """Compact a session in which nothing runs; False: there is nothing to drop.

        Where an exchange runs here, it does so before its next model call: None then.
        """
        if self._log.database.read_now(lambda c: inbox.next_prompt(c, session.n)):
            for exchange in self._running:
                if exchange.session.n == session.n:
                    exchange.compacting.wanted = True
                    return None
        elif before := self._tasks.get(session.n):  # it is about to end
            await asyncio.wait({before})
        lease = await self._log.database.write(lambda c: self.contender.take(c, session.n))
        if lease is None:
            raise Conflict(
                "Another program works in this session, or it waits for an answer.",
                hint="Compact it when that has ended.",
            )
        self._held.add(session.n)
        beating = asyncio.create_task(leases.beating(self._log.database, lease))
        try:
            return await self._compact(session, lease)
        finally:
            beating.cancel()
            self._held.discard(session.n)
            await whatever_comes(self._log.database.write(lambda c: leases.let_go(c, lease)))

    async def _compact(self, session: SessionRow, lease: Lease) -> bool:
        if self._log.database.read_now(lambda c: inbox.next_prompt(c, session.n)):
            raise Conflict("Something waits to run in this session.", hint="Let it run first.")
        exchange = Exchange(Pen(self._log, lease), "", session, self._hands, self._attachments)
        return await exchange.compact(await self._plan(session, Prompt("", ())))

    def is_busy(self, besides: SessionRow) -> bool:
        """Whether a session other than this one runs in its folder."""
        others = (each.session for each in self._running if each.session.n != besides.n)
        return any(place_of(each) == place_of(besides) for each in others)

    def revoke_besides(self, projects: set[int]) -> None:
        """End what runs in any project but these, with the word that it was removed."""
        for exchange in list(self._running):
            if exchange.session.project not in projects:
                exchange.revoked = True
                if task := self._carrying.get(exchange):
                    task.cancel()

    async def forget(self, n: int) -> None:
        """Wait until nothing of this session runs here, and keep nothing of it in memory."""
        while (task := self._tasks.get(n)) and not task.done():
            await asyncio.wait({task})
        self._recall.drop(n)

    def _tell_mended(self, n: int) -> None:
        if n in self._mended:
            self._mended.pop(n).set()

    def _forget(self, n: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(n) is task:
            del self._tasks[n]
            self.tops.pop(n, None)
            self._mended.pop(n, None)
        if not task.cancelled():
            task.exception()  # whoever waits for the task hears it; nobody has to

    async def _attend(
        self, session: SessionRow, lease: Lease | None, before: asyncio.Task[None] | None
    ) -> None:
        if before:  # it has let its lease go, and is about to end
            await asyncio.wait({before})
        if self._ends and session.parent is None:
            if lease:
                await self._log.database.write(partial(leases.let_go, lease=lease))
            return
        if lease is None:
            adopted = bool(session.parent) and session.task_id in self._adopted
            lease = await self._log.database.write(
                lambda c: self.contender.take(c, session.n, adopted=adopted)
            )
        if lease is None:
            return
        held = lease
        self._held.add(session.n)
        pen = Pen(self._log, held)
        beating = asyncio.create_task(leases.beating(self._log.database, held))
        try:
            while not await self._done(session, pen):
                if await self._gives_way(session, held):
                    return
        except Fenced:
            _log.info("session %s was taken over by another worker", session.id)
        except BaseException:
            with suppress(StorageFailed):
                await self._log.database.write(lambda c: leases.let_go(c, held))
            raise
        finally:
            self._held.discard(session.n)
            beating.cancel()

    async def _gives_way(self, session: SessionRow, lease: Lease) -> bool:
        """Whether others come first now: what waits in this session is for whoever comes next."""
        crowded = session.parent is None and self.crowded()
        if not (crowded or self._ends) or self._inbox.unfinished(session):
            return False
        await self._log.database.write(lambda c: leases.let_go(c, lease))
        return True

    async def _done(self, session: SessionRow, pen: Pen) -> bool:
        """Run the next prompt; True, and the lease is released, once none waits."""
        found = self._log.database.read_now(lambda c: inbox.next_prompt(c, session.n))
        if found is None:
            return await self._log.database.write(lambda c: leases.release(c, pen.lease))
        prompt, status = found
        if status == "queued" or pen.lease.parked:
            self._tell_mended(session.n)
        recalled = self._recall.take(session.n, pen.seq)
        parent = self._adopted.get(prompt.message_id)
        if parent is None and await self._left_to_parent(session, prompt, pen, status):
            return True
        exchange = Exchange(
            pen,
            prompt.message_id,
            session,
            self._hands,
            self._attachments,
            recalled,
            parent,
        )
        runs = Runs(self.attend, self.at_work, partial(self._adopt, exchange), self._place)
        exchange.children = Children(exchange, runs, self._log)
        exchange.compacting.wanted = session.n in self._to_compact
        self._to_compact.discard(session.n)
        if parent is None:
            exchange.asking.on_wait = partial(self._tell_mended, session.n)
        try:
            if status == "running":
                await self._take_up(session, exchange, prompt)
            else:
                with suppress(Conflict):  # taken back at the last moment
                    await begin(exchange, prompt)
                    recalled = self._still(session.n, recalled, exchange)
                    if recalled:
                        recalled.history.append(Message("user", prompt.content))
                    await self._run(session, exchange, prompt, recalled)
        except Parked:
            return await self._parked(exchange)
        self.said.discard(prompt.message_id)
        return exchange.released

    async def _parked(self, exchange: Exchange) -> bool:
        """Let go until an answer comes; False: it came at that very moment, and all goes on from the log."""
        pen, top = exchange.pen, exchange.asking.n
        if await self._log.database.write(lambda c: leases.park(c, pen.lease, top)):
            return True
        if exchange.hands_over:
            raise asyncio.CancelledError from None  # whoever attends this lets go of the lease
        if exchange.leaving:
            await finish(exchange, STOPPED, "Cancelled by the user")
            raise asyncio.CancelledError from None
        if exchange.parent:  # which goes on, and takes it up again
            await self._log.database.write(lambda c: leases.let_go(c, pen.lease))
            return True
        pen.lease = msgspec.structs.replace(pen.lease, parked=True)
        return False

    async def _left_to_parent(
        self, session: SessionRow, prompt: Prompt, pen: Pen, status: str
    ) -> bool:
        """Of a task that no exchange here has handed on: True, and let go, where it is its parent's to go on with.

        Else it only has to be ended: it was stopped, or its parent has ended without it.
        """
        above = session.parent
        if above is None or prompt.message_id != session.task_id:
            return False
        if status == "running":
            track = await track_of(self._log, session.n, session.task_id)
            if track.cancelled:
                await self._close_asks(session)
                return False
        call = session.parent_call.partition("/")[0]
        if self._inbox.is_running(above, call):
            await self._log.database.write(lambda c: leases.let_go(c, pen.lease))
            self.attend(self._sessions.numbered(above))
            return True
        if status == "queued":
            await self._inbox.cancel(session, session.task_id)
        return False

    async def _close_asks(self, session: SessionRow) -> None:
        """A child that was stopped by itself no longer asks anything in the session at the top."""
        for ask in self._hands.asks.open(self._sessions.top(session).n):
            if ask.child == session.id:
                with suppress(Conflict):
                    await self._hands.asks.close(ask)

    def _still(self, n: int, recalled: Recalled | None, exchange: Exchange) -> Recalled | None:
        """What is remembered, unless a guest has turned it over since; from here on nobody can reset the session."""
        if recalled is None:
            return None
        reached = self._log.feed(n).last_index
        if turned_over(self._log, n, recalled.reached):
            exchange.known, exchange.told = self._hands.remembered(n)
            return None
        recalled.reached = reached
        return recalled

    async def _run(
        self,
        session: SessionRow,
        exchange: Exchange,
        prompt: Prompt,
        recalled: Recalled | None = None,
        *,
        resumed: bool = False,
        interrupted: facts.Interrupted | None = None,
    ) -> None:
        """Carry the exchange out, and stop it when a cancel comes in by the log."""
        after = self._log.feed(session.n).last_index

        async def remember() -> list[Message]:
            if recalled:
                return recalled.history
            return await asyncio.to_thread(replay, await self._log.facts(session.n))

        prepare = partial(self._plan, session, prompt)
        running = asyncio.create_task(
            carry_out(exchange, prompt, prepare, remember, resumed=resumed, interrupted=interrupted)
        )
        watching = asyncio.create_task(mind(self._log, exchange, after, running))
        self._running.add(exchange)
        self._carrying[exchange] = running
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError:
            running.cancel()
            await asyncio.wait({running})
            if isinstance(running.exception() if not running.cancelled() else None, Parked):
                raise Parked from None
            raise
        finally:
            watching.cancel()
            self._running.discard(exchange)
            self._carrying.pop(exchange, None)
            if exchange.compacting.wanted:
                self._to_compact.add(session.n)
        if running.cancelled():  # before its first step, so that it could not close itself
            await finish(exchange, STOPPED, "Cancelled by the user")
        elif (history := running.result()) is not None:
            reached = recalled.reached if recalled else after
            self._recall.keep(
                session.n,
                exchange.pen.seq,
                Recalled(history, exchange.known, exchange.told, reached),
            )

    async def _take_up(self, session: SessionRow, exchange: Exchange, prompt: Prompt) -> None:
        """Go on with an exchange that waited for an answer, or in which another process died."""
        # Looked at before the log is read: an answer that comes between the two is then in the log.
        waits = self._log.database.read_now(lambda c: asks.waits(c, session.n))
        track = await track_of(self._log, session.n, prompt.message_id)
        exchange.go_on(track)
        lease = exchange.pen.lease
        await self._log.database.write(lambda c: spent.count_lost(c, session.n))
        await asyncio.to_thread(exchange.fence.take_over)
        parent = exchange.parent
        if track.is_remote:
            await self._follow_on(session, exchange, prompt)
            return
        if track.cancelled:
            await finish(exchange, STOPPED, "Cancelled by the user")
            return
        if parent is None and session.parent and prompt.message_id == session.task_id:
            await finish(exchange, _INTERRUPTED, "Interrupted")
            return
        agreed = lease.parked or (track.agreed and lease.takeovers < MAX_TAKEOVERS)
        if agreed and not (parent and parent.closing):
            await self._go_on(session, exchange, prompt)
            return
        if waits and not parent:
            raise Parked  # the process that asked died; the ask did not
        interrupted = facts.Interrupted("The process that ran this exchange ended.")
        chosen = self._chosen(session, exchange)
        if chosen == "park":
            unsaid = msgspec.structs.replace(prompt, message_id="")
            await park(exchange, interrupted, self._log, lambda: self._plan(session, unsaid))
            raise Parked
        if chosen == "resume" and track.is_untouched:
            # Only its plan says whether there was anything to interrupt: `carry_out` tells it then.
            await self._run(session, exchange, prompt, resumed=True, interrupted=interrupted)
            return
        exchange.emit(interrupted)
        if chosen == "close":
            await finish(exchange, _INTERRUPTED, "Interrupted")
            return
        await self._go_on(session, exchange, prompt)

    async def _follow_on(self, session: SessionRow, exchange: Exchange, prompt: Prompt) -> None:
        """Go on with what another Bottega answers: it ran on there, and is followed from where the log ends."""
        if session.parent and not exchange.parent and prompt.message_id == session.task_id:
            exchange.track.cancelled = True  # nobody waits for it any more
        self._tell_mended(session.n)
        await self._run(session, exchange, prompt, resumed=True)

    def _chosen(self, session: SessionRow, exchange: Exchange) -> OnCrash:
        """What becomes of an exchange that was left in the middle; a child goes on if its parent does."""
        lease, parent = exchange.pen.lease, exchange.parent
        if parent:
            closes = parent.closing or lease.takeovers >= MAX_TAKEOVERS
            return "close" if closes else "resume"
        crash = Crash(session, lease.takeovers, exchange.track.heard_at, lease.handed)
        return self._decide(crash)

    async def _go_on(self, session: SessionRow, exchange: Exchange, prompt: Prompt) -> None:
        """Run on from the log: what was streamed of an answer is void, and comes again."""
        if exchange.track.partial():
            exchange.emit(facts.StreamReset("interrupted"))
        await self._run(session, exchange, prompt, resumed=True)
