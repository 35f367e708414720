"""An exchange that another Bottega answers: its facts are carried over into the log here.

The prompt keeps its id, so that however often it is sent there, it runs once; the cursor into the log there is
committed with what it stands for, so that whoever goes on from it leaves nothing out and stores nothing twice.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from bottega.agents.plan import Elsewhere
from bottega.agents.world import STOPPED, Ended
from bottega.approvals.mode import Mode
from bottega.errors import Conflict, NotFound, Problem, Refused
from bottega.events import facts
from bottega.failpoint import failpoint
from bottega.messages.block import plain_text
from bottega.messages.message import Message
from bottega.providers.http.connect import trusting
from bottega.reach.lines import Sent
from bottega.reach.reach import Reach, Try
from bottega.reach.stream import bursts
from bottega.sessions import clients, inbox
from bottega.sessions.bounds.keeping import TooMuchKept
from bottega.sessions.far import there
from bottega.sessions.far.sent import sent
from bottega.sessions.far.there import There
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import title_of
from bottega.workers.acting.shield import whatever_comes
from bottega.workers.far.consent import consented
from bottega.workers.far.other import Other
from bottega.workers.far.taking import LARGEST, Taking, TooMuchSent

if TYPE_CHECKING:
    from bottega.workers.exchange import Exchange

_log = logging.getLogger(__name__)

MOST_HOPS = 3
"""How many Bottegas a prompt may come through."""
BETWEEN_TRIES = 15.0
"""The most seconds between two tries to reach a server that is gone."""
GRACE = 5.0
"""Seconds that the other one has to say how an exchange ended that was stopped here."""


async def carry_over(exchange: "Exchange", prompt: Prompt, elsewhere: Elsewhere) -> Ended:
    """Have the prompt answered there, and carry over all that comes of it; how it ended.

    Raises as the loop does: what the pen raises, `Parked` and cancellation; and a `Problem` where nobody answers.
    """
    if prompt.hops >= MOST_HOPS:
        raise Refused(
            f"This prompt came through {prompt.hops} other Bottegas already: remote agents hand it around.",
            hint=f"Let the agent {elsewhere.where.agent!r} at {elsewhere.where.address} answer by itself.",
        )
    await consented(exchange, elsewhere)
    async with _reach(exchange, elsewhere) as reach:
        carrying = Carrying(exchange, prompt, Other(reach), elsewhere)
        try:
            return await carrying.run()
        finally:
            await carrying.asks.close()


@asynccontextmanager
async def _reach(exchange: "Exchange", elsewhere: Elsewhere) -> AsyncGenerator[Reach]:
    """The way there; each further try is told in the log."""

    def told(again: Try) -> None:
        delay = round(again.delay * 1000)
        exchange.emit(facts.ConversationRetrying(again.number, again.of, delay, again.reason))

    where = elsewhere.where
    reach = Reach(
        where.address,
        elsewhere.token(),
        elsewhere.patience,
        most=BETWEEN_TRIES,
        trying=told,
        tls=trusting(elsewhere.ca_file) if elsewhere.ca_file else None,
    )
    await reach.open()
    try:
        yield reach
    finally:
        await reach.close()


class Carrying:
    def __init__(
        self, exchange: "Exchange", prompt: Prompt, other: Other, elsewhere: Elsewhere
    ) -> None:
        self._exchange = exchange
        self._prompt = prompt
        self._other = other
        self._where = elsewhere.where
        self._n, self._id = exchange.session.n, exchange.message_id
        self._database = exchange.hands.log.database
        self._mode: Mode = exchange.mode()
        self._steered: set[str] = set()
        self._stops = False
        self._taking = Taking(exchange, other)
        self.asks = self._taking.asks

    async def run(self) -> Ended:
        exchange = self._exchange
        if over := await exchange.over(0):
            return over
        self._there = await self._begun()
        # Before anything else is said: whoever only comes to stop it goes on from here too.
        self._taking.cursor = self._there.cursor
        time = asyncio.timeout(exchange.seconds_left())
        try:
            async with time:
                return await self._answered()
        except TimeoutError:
            if not time.expired():
                raise
            await self._break_off()
            return await exchange.out_of_time()
        except asyncio.CancelledError:
            if exchange.leaving or exchange.hands_over:
                raise  # it goes on there, and whoever comes next goes on here
            return await whatever_comes(self._stopped())

    async def _begun(self) -> There:
        """Where it is answered: known from before a restart, or chosen now and stored before anything is said."""
        where = self._where
        known = there.of_exchange(self._database, self._n, self._id)
        if known:
            if known.address != where.address:
                raise Conflict(
                    f"This exchange is answered at {known.address}, and its agent is elsewhere by now."
                )
            return known
        failpoint("far.before_start")
        place = (where.address, where.agent, where.project)
        before = there.session_there(self._database, self._n, *place)
        title = title_of(plain_text(self._prompt.content))
        found = There(*place, await self._other.session(before, where, self._mode, title))
        await self._exchange.record(
            facts.RemoteStarted(where.address, found.session_id, where.agent),
            lambda connection: there.begin(connection, self._n, self._id, found),
        )
        failpoint("far.after_start")
        return found

    async def _answered(self) -> Ended:
        if self._exchange.track.cancelled:
            return await self._stopped()
        session_id = self._there.session_id
        await self._other.act_in(session_id, self._mode)
        await self._other.declare(session_id, clients.listed(self._database, self._n))
        index = await self._say(self._prompt)
        failpoint("far.after_admit")
        self._taking.cursor = max(self._taking.cursor, index - 1)
        self.asks.take_up()
        minding = asyncio.create_task(self._mind())
        try:
            return await self._followed()
        finally:
            minding.cancel()

    async def _say(self, prompt: Prompt) -> int:
        (words,) = self._exchange.load((Message("user", prompt.content),))
        said = msgspec.structs.replace(
            prompt, content=words.content, agent="", hops=prompt.hops + 1
        )
        return await self._other.say(self._there.session_id, sent(said))

    async def _followed(self) -> Ended:
        """Carry over what comes, until the end is among it."""
        async with aclosing(self._coming()) as stream:
            while True:
                burst = await self._next(stream)
                if burst is None:
                    raise NotFound(
                        f"The session in which this was answered at {self._where.address} is gone."
                    )
                if ended := await self._took(burst):
                    return ended

    def _coming(self) -> AsyncGenerator[list[Sent]]:
        return bursts(self._other.reach, self._there.session_id, self._taking.cursor, LARGEST)

    async def _next(self, stream: AsyncGenerator[list[Sent]]) -> list[Sent] | None:
        coming = asyncio.ensure_future(anext(stream, None))
        try:
            while not coming.done():
                wanted = {coming, *self.asks.tasks}
                await asyncio.wait(wanted, return_when=asyncio.FIRST_COMPLETED)
                self.asks.check()
            return coming.result()
        finally:
            if not coming.done():
                coming.cancel()
                with suppress(asyncio.CancelledError):
                    await coming

    async def _took(self, burst: list[Sent]) -> Ended | None:
        """Carry it over; the end, if that is there, or a limit of ours is reached."""
        before = self._taking.answers
        try:
            if ended := await self._taking.take(burst):
                return ended
        except (TooMuchSent, TooMuchKept):
            if not self._stops:
                await whatever_comes(self._end_there())
            raise
        is_next = self._taking.answers > before and not self._stops
        if is_next and (over := await self._exchange.over(0)):
            await self._break_off()
            return over
        return None

    async def _mind(self) -> None:
        """Pass on what is said here into the exchange, and how much it may do from now on."""
        with self._exchange.hands.log.following(self._n) as feed:
            while not feed.gone:
                reached = feed.others_index
                try:
                    await self._pass_on()
                except Problem as problem:  # what waits here is said with the next prompt
                    _log.info("nothing could be passed on: %s", problem)
                await feed.wait_for_others(reached)

    async def _pass_on(self) -> None:
        for prompt in self._database.read_now(lambda c: inbox.steers(c, self._n)):
            if prompt.message_id not in self._steered:
                await self._say(prompt)
                self._steered.add(prompt.message_id)
        if (mode := self._exchange.mode()) != self._mode:
            await self._other.act_in(self._there.session_id, mode)
            self._mode = mode

    async def _break_off(self) -> None:
        """Stop it there, for a reason of ours: how it ended there is not how it ended."""
        await whatever_comes(self._stopped())
        self._exchange.last_word = None

    async def _end_there(self) -> None:
        """Ask for its end, and hear nothing more of it."""
        with suppress(TimeoutError, Problem):
            async with asyncio.timeout(GRACE):
                await self._other.stop(self._there.session_id, self._id)

    async def _stopped(self) -> Ended:
        """Stop it there too, and hear how it ended."""
        self._stops = True
        failpoint("far.before_stop")
        try:
            async with asyncio.timeout(GRACE):
                if await self._other.stop(self._there.session_id, self._id):
                    return await self._followed()
        except (TimeoutError, Problem) as error:
            _log.info("an exchange could not be stopped elsewhere: %s", error)
            where = self._where.address
            self._exchange.emit(
                facts.ErrorMessage(
                    f"The server at {where} did not say that it has stopped.",
                    "unreachable",
                    hint=f"It may go on there: `bottega attach --at {where}` shows it.",
                )
            )
        return STOPPED
