"""What the log of another Bottega tells of an exchange, taken into the log here: which facts, and what goes with each.

What a fact brings about here (an ask, a steer that was taken up, a cost) is committed with it, and with the cursor.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from bottega.agents.world import STOPPED, Ended
from bottega.errors import Conflict, Problem
from bottega.events import facts
from bottega.events.codec import carried
from bottega.events.event import Carried
from bottega.failpoint import failpoint
from bottega.fairness import FOREIGN_JSON, beside
from bottega.messages.json_size import MOST_MESSAGE, SMALL, Crowded, counted
from bottega.messages.message import Usage
from bottega.reach.lines import LAST, Sent
from bottega.sessions import inbox, spent
from bottega.sessions.far import there
from bottega.sessions.pen import Also
from bottega.workers.far.asking import FarAsks
from bottega.workers.far.other import Other

if TYPE_CHECKING:
    import sqlite3

    from bottega.workers.exchange import Exchange

CARRIED = frozenset(
    {
        *("user_message", "prompt_cancelled", "exchange_response", "interrupted"),
        *("message_start", "assistant_message", "stream_reset", "conversation_retrying"),
        *("text_delta", "reasoning_delta", "input_json_delta", "tool_output_delta"),
        *("tool_intent", "tool_result", "todos_changed", "child_started", "file_ready"),
        *("approval_required", "approval_resolved", "remote_started", "error_message"),
    }
)
"""What an exchange is made of. A server elsewhere tells nothing more in a log here: neither how the session is set or
turned over, which is its owner's to say, nor how the prompt came in and what the model there sees."""
LEFT = frozenset(facts.FACTS) - CARRIED
"""What stays there."""

LARGEST = 8 * 1024 * 1024
"""Bytes of one event that are carried over: far more than a Bottega writes into one."""
MOST_CARRIED = 64 * 1024 * 1024
"""Bytes of all events of one exchange."""
MOST_MEMBERS = 2_000_000
"""Fields and elements of all its events but the pieces of words: whoever reads the session decodes them all."""
_COUNTED = 1024 * 1024
"""Bytes after which it is looked at again whether there is room for more."""
_MOST_PAID = 10**9
"""Tokens, or micro-USD, of one model call or one task that was handed on: more cannot be true."""


class TooMuchSent(Problem):
    """Another Bottega tells more of an exchange than is carried over."""

    code = "too_much_sent"


_Paid = facts.AssistantMessage | facts.ToolResultFact | facts.Compaction


class Taking:
    def __init__(self, exchange: "Exchange", other: Other) -> None:
        self._exchange = exchange
        self._reach = other.reach
        self._address = other.reach.address
        self._n, self._id = exchange.session.n, exchange.message_id
        self._database = exchange.hands.log.database
        self.cursor = 0
        """The last index there that was seen."""
        self.answers = 0
        """How many answers of the model were among it."""
        self.asks = FarAsks(exchange, other, self._put)
        self._size = self._counted = self._members = 0

    async def take(self, burst: list[Sent]) -> Ended | None:
        """Carry over what belongs to the exchange; its end, if that is there."""
        told: list[Carried] = []
        answers = 0
        for each in burst:
            members = await self._count(each.body)
            fact = await beside(len(each.body), self._read, each)
            await self._make_room(len(each.body), 0 if fact.type in facts.DELTAS else members)
            self.cursor = fact.index
            if fact.message_id != self._id or fact.type not in CARRIED:
                await self._pay_for(fact)
                continue
            answers += isinstance(fact.data, facts.AssistantMessage)
            if isinstance(fact.data, _APART):
                await self._put(told)
                told = []
                if ended := await self._apart(fact):
                    return ended
            else:
                told.append(fact)
        await self._put(told)
        self.answers += answers
        return None

    async def _count(self, body: bytes) -> int:
        """About how many fields and elements an event has, before it is decoded; raises where that is too much."""
        try:
            members = await beside(len(body), counted, body, MOST_MESSAGE)
        except Crowded as crowded:
            raise TooMuchSent(
                f"The server at {self._address} sent an event {crowded}.",
                hint="The exchange ends here. Look at what that server does.",
            ) from None
        if members > SMALL:
            await FOREIGN_JSON.take(members)
        return members

    async def _make_room(self, size: int, members: int) -> None:
        """Before so much more is stored; raises where that is too much for this exchange, or for its owner."""
        self._members += members
        if self._members > MOST_MEMBERS:
            raise TooMuchSent(
                f"The server at {self._address} sent more than {MOST_MEMBERS:,} fields and elements in one exchange.",
                hint="The exchange ends here. Ask for less at once, or look at what that server does.",
            )
        self._size += size
        if self._size > MOST_CARRIED:
            raise TooMuchSent(
                f"The server at {self._address} sent more than {MOST_CARRIED >> 20} MB in one exchange.",
                hint="The exchange ends here. Ask for less at once, or look at what that server does.",
            )
        if self._size - self._counted >= _COUNTED:
            more, self._counted = self._size - self._counted, self._size
            session = self._exchange.session
            await asyncio.to_thread(self._exchange.hands.admit, session.owner, more)

    async def _apart(self, fact: Carried) -> Ended | None:
        """What more belongs to than to store it."""
        match fact.data:
            case facts.ExchangeResponse() as end:
                self._exchange.last_word = fact
                return Ended(end.success, end.completion_reason, end.stop_reason)
            case facts.PromptCancelled():
                return STOPPED
            case facts.ApprovalRequired():
                await self.asks.required(fact)
            case facts.ApprovalResolved():
                await self.asks.resolved(fact)
            case facts.UserMessage(prompt_id=said) if said:
                take_up = partial(inbox.take_up, n=self._n, message_id=said)
                try:
                    await self._put([fact], take_up)
                except Conflict:  # it was said there, or taken back here too late
                    await self._put([fact])
            case _:  # the prompt itself, which the log here has
                pass
        return None

    def _read(self, told: Sent) -> Carried:
        try:
            fact = carried(told.index, told.body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._reach.no_event() from error
        if not _is_plausible(fact.data):
            raise Problem(
                f"The server at {self._address} states a use or cost that cannot be true.",
                hint="Nothing of it was counted. Look at what is at that address.",
            )
        return fact

    async def _put(self, told: list[Carried], *more: Also) -> None:
        if not told:
            return

        def also(connection: "sqlite3.Connection") -> None:
            for each in more:
                each(connection)
            for fact in told:
                self._spend(connection, fact)
            there.reach(connection, self._n, self._id, told[-1].index)

        await self._exchange.carry(told, also)
        failpoint("far.after_carry")

    async def _pay_for(self, fact: Carried) -> None:
        if fact.message_id == self._id and isinstance(fact.data, facts.Compaction):

            def also(connection: "sqlite3.Connection") -> None:
                self._spend(connection, fact)
                there.reach(connection, self._n, self._id, fact.index)

            await self._database.write(also)

    def _spend(self, connection: "sqlite3.Connection", fact: Carried) -> None:
        paid = fact.data
        if isinstance(paid, _Paid) and paid.usage != Usage():
            model = paid.asked or paid.model if isinstance(paid, facts.AssistantMessage) else ""
            spent.note(connection, self._n, self._id, paid.usage, paid.cost, model)


def _is_plausible(data: object) -> bool:
    """Whether what is said to be used and paid, if anything is, can be true."""
    most = _MOST_PAID if isinstance(data, _Paid) else LAST
    usage, cost = getattr(data, "usage", None), getattr(data, "cost", None)
    numbers = [*msgspec.structs.astuple(usage)] if isinstance(usage, Usage) else []
    return all(0 <= number <= most for number in [*numbers, cost or 0])


_APART = (
    facts.ExchangeResponse,
    facts.PromptCancelled,
    facts.ApprovalRequired,
    facts.ApprovalResolved,
    facts.UserMessage,
)
