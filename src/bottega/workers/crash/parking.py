"""An exchange that nobody goes on with unasked: one ask says what was under way and what going on would cost.

The ask is durable together with `interrupted`: whoever comes by before it is answered finds it, and asks nothing again.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable

import msgspec

from bottega.agents.context.estimate import tokens
from bottega.agents.context.measure import tool_tokens
from bottega.agents.plan import Plan
from bottega.errors import Problem
from bottega.events import facts
from bottega.failpoint import failpoint
from bottega.ids import fresh
from bottega.messages.block import Reasoning, Text, plain_text
from bottega.messages.message import Usage
from bottega.providers import catalog
from bottega.providers.provider import Finished
from bottega.sessions import asks
from bottega.sessions.log import Log
from bottega.sessions.told.history import indexed
from bottega.workers.counting import before_messages, guessed
from bottega.workers.exchange import Exchange
from bottega.workers.track import Track

_log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds for working out what a request would hold; servers of tools may have to be started for it."""


class Spends(msgspec.Struct, frozen=True):
    """What going on would send, and how much of it was paid for before."""

    tokens: int
    """Of the next request, about; 0: no model is asked again."""
    again: bool
    """That request was sent before: an answer to it had begun, and did not come to its end."""
    written: int = 0
    """Tokens of that answer that were there, about: they are written anew."""
    cost: int | None = None
    """Of all of this, in micro-USD; None: nobody knows the price."""


async def park(
    exchange: Exchange,
    interrupted: facts.Interrupted,
    log: Log,
    prepare: Callable[[], Awaitable[Plan]],
) -> None:
    """Write down that it was interrupted, and ask whether it is to go on: both, or neither."""
    spends = await _spends(exchange, log, prepare)
    under_way = told(exchange.track)
    asked = facts.ApprovalRequired(
        fresh("ask"),
        "resume",
        hash=_hash(exchange.message_id, under_way, spends),
        question=f"{interrupted.reason} {under_way} {priced(spends)} Go on?",
        choices=("continue", "stop"),
        detail={
            "under_way": under_way,
            "calls": [
                {"name": use.name, "began": use.id in exchange.track.intents}
                for use in exchange.track.calls.values()
            ],
            **msgspec.structs.asdict(spends),
        },
    )
    n, message_id = exchange.session.n, exchange.message_id
    await exchange.pen.record(
        exchange.event(interrupted),
        exchange.event(asked),
        also=lambda connection: asks.insert(connection, n, message_id, asked, {}),
    )
    failpoint("parking.after_ask")


def told(track: Track) -> str:
    """What was under way, as a sentence."""
    if track.calls:
        names = ", ".join(
            f"{use.name} (it had begun)" if use.id in track.intents else use.name
            for use in track.calls.values()
        )
        calls = f"{len(track.calls)} calls were" if len(track.calls) > 1 else "A call was"
        return f"{calls} not finished: {names}."
    if left := track.left():
        if left.results:
            return "All calls had run, and the model was about to be asked."
        return "The answer was complete; only its end is missing."
    if written := plain_text(track.partial()):
        return f"{len(written):,} characters of an answer were written."
    return "The model had not answered yet."


def priced(spends: Spends) -> str:
    """What going on costs, as a sentence; what nobody knows is said so."""
    if not spends.tokens:
        return "Going on asks no model again."
    price = "at a price that nobody knows"
    if spends.cost is not None:
        price = f"for about ${spends.cost / 1_000_000:,.4f}" if spends.cost else "at no cost"
    if not spends.again:
        return f"The next request has about {spends.tokens:,} tokens, {price}."
    anew = f" and has about {spends.written:,} written anew" if spends.written else ""
    return f"Going on sends about {spends.tokens:,} tokens again{anew}, {price}."


async def _spends(exchange: Exchange, log: Log, prepare: Callable[[], Awaitable[Plan]]) -> Spends:
    track = exchange.track
    left = track.left()
    if left and not left.results:
        return Spends(0, again=False, cost=0)
    plan = await _planned(prepare)
    rows = await log.facts(exchange.session.n)
    fixed = 0.0
    if plan:
        system, tools = before_messages(plan, exchange.told.opening)
        fixed = tokens(system) + tool_tokens(tools)
    request = (await asyncio.to_thread(lambda: guessed(rows, indexed(rows), fixed))).total
    texts = (each.text for each in track.partial() if isinstance(each, Text | Reasoning))
    written = round(sum(map(tokens, texts)))
    cost = await _price(plan, Usage(request, written)) if plan else None
    return Spends(request, track.asked, written, cost)


async def _planned(prepare: Callable[[], Awaitable[Plan]]) -> Plan | None:
    """What the exchange would run with; None where that cannot be had any more, or not soon."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await prepare()
    except (Problem, TimeoutError) as problem:
        _log.info("what going on would cost is guessed without a plan: %s", type(problem).__name__)
        return None


async def _price(plan: Plan, usage: Usage) -> int | None:
    if plan.model.origin and not catalog.is_read():
        await asyncio.to_thread(catalog.load)
    return plan.model.price(Finished((), "end_turn", usage))


def _hash(message_id: str, under_way: str, spends: Spends) -> str:
    shown = msgspec.json.encode([message_id, under_way, spends])
    return hashlib.sha256(shown).hexdigest()
