"""One prompt, from taking it up to its one `exchange_response`, in every path: done, failed, limited, cancelled."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable

from bottega.agents.limits import LimitReached
from bottega.agents.loop import run
from bottega.agents.plan import Plan
from bottega.agents.world import LIMITED, STOPPED, Ended, Left
from bottega.errors import Conflict, Problem
from bottega.events import facts
from bottega.messages.message import Message, StopReason
from bottega.sessions import inbox
from bottega.sessions import lease as leases
from bottega.sessions.inbox import Prompt
from bottega.workers.acting.asking import Parked
from bottega.workers.acting.shield import whatever_comes
from bottega.workers.close import loose_ends, outcome_of, response
from bottega.workers.crash.recover import settled, tell_edits
from bottega.workers.exchange import Exchange

_log = logging.getLogger(__name__)


Prepare = Callable[[], Awaitable[Plan]]
Remember = Callable[[], Awaitable[list[Message]]]


async def begin(exchange: Exchange, prompt: Prompt) -> None:
    """queued → running and `user_message`, in one transaction; a plan that nobody accepted is no longer offered."""
    lease = exchange.pen.lease
    await exchange.record(
        facts.UserMessage(prompt.content),
        also=lambda connection: inbox.start(connection, lease.n, prompt.message_id),
    )
    await drop_plans(exchange)


async def drop_plans(exchange: Exchange) -> None:
    if not exchange.parent:
        await exchange.asking.drop_plans()


async def carry_out(
    exchange: Exchange,
    prompt: Prompt,
    prepare: Prepare,
    remember: Remember,
    *,
    resumed: bool = False,
    interrupted: facts.Interrupted | None = None,
) -> list[Message] | None:
    """Run the exchange that has begun; return when its end is durable, also when this task is cancelled.

    `resumed`: calls may have been left open, and are answered first; `interrupted` is told before anything else, unless
    nothing was. Returns all that was said, if the exchange came to
    its own end. Raises `Parked` when nothing can go on before an answer comes; else only what the pen raises: then
    nothing more can be written here, and another worker goes on from the log.
    """
    history: list[Message] | None = None
    try:
        exchange.equip(await _prepared(exchange, prepare, interrupted))
        if resumed:  # the crash may have come right after it began
            await drop_plans(exchange)
        if exchange.plan.elsewhere or exchange.track.is_remote:
            ended = await _answered_elsewhere(exchange, prompt)
        else:
            history, left = await _taken_up(exchange, remember, resumed=resumed)
            ended = await run(exchange.plan, history, exchange, exchange.track.answers, left)
    except Parked:
        raise
    except asyncio.CancelledError:
        if exchange.leaving or exchange.hands_over:
            raise Parked from None  # the process ends; what is asked goes on waiting
        if exchange.revoked:
            exchange.emit(_told(_refusal(exchange)))
            ended = _FAILED
        else:
            ended = STOPPED
    except Exception as error:
        if exchange.pen.failure:
            raise
        exchange.emit(_told(error))
        ended = LIMITED if isinstance(error, LimitReached) else _FAILED
    finally:
        await whatever_comes(exchange.close())
    await whatever_comes(finish(exchange, ended, _WHY.get(ended.reason, "Stopped")))
    return history if ended.success else None


async def _prepared(
    exchange: Exchange, prepare: Prepare, interrupted: facts.Interrupted | None
) -> Plan:
    """The plan. What another Bottega is to answer, and was not sent there yet, was not interrupted: it begins now."""
    begins_elsewhere = False
    try:
        await exchange.recover()
        plan = await prepare()
        begins_elsewhere = plan.elsewhere is not None
        return plan
    finally:
        if interrupted and not begins_elsewhere:
            exchange.emit(interrupted)


async def _taken_up(
    exchange: Exchange, remember: Remember, *, resumed: bool
) -> tuple[list[Message], Left | None]:
    """What was said so far, all calls answered, and the last step, if nothing came of it yet."""
    again = await settled(exchange, exchange.plan.registry) if resumed else []
    if again:
        await exchange.act(again, exchange.mode())
    return await remember(), exchange.track.left() if resumed else None


async def _answered_elsewhere(exchange: Exchange, prompt: Prompt) -> Ended:
    elsewhere = exchange.plan.elsewhere
    if elsewhere is None:
        raise Conflict(
            "This exchange is answered by another Bottega, and its agent is one of here by now."
        )
    from bottega.workers.far.carrying import carry_over  # it speaks HTTP, which most runs never do

    return await carry_over(exchange, prompt, elsewhere)


def _refusal(exchange: Exchange) -> Problem:
    """Why nothing more may be done in this session."""
    try:
        exchange.hands.folders.project_of(exchange.session)
    except Problem as problem:
        return problem
    return Conflict("The project of this session was removed while it ran, and is there again.")


def _told(error: Exception) -> facts.ErrorMessage:
    if isinstance(error, Problem):
        return facts.ErrorMessage(error.message, error.code, hint=error.hint)
    _log.exception("an exchange failed unexpectedly")
    return facts.ErrorMessage(
        f"Something went wrong inside Bottega ({type(error).__name__}).",
        "internal_error",
        hint="Run the command with --debug to see where, and report it.",
    )


_FAILED = Ended(False, "error", "error")
_WHY = {"user_stopped": "Cancelled by the user", "interrupted": "Interrupted"}


async def finish(exchange: Exchange, ended: Ended, why: str) -> None:
    """running → done and `exchange_response`, in one transaction, with every loose end tied before it.

    The same transaction lets the lease go, unless another prompt waits.
    """
    lease = exchange.pen.lease
    stop: StopReason = ended.stop_reason
    ends = await exchange.leave(ended)
    end = exchange.last_word
    if end is None:
        if not exchange.track.is_remote:
            await tell_edits(exchange)
        for payload in loose_ends(exchange.track, stop, why, ends):
            exchange.emit(payload)
        last = response(
            exchange.track,
            success=ended.success,
            reason=ended.reason,
            stop=stop,
            final=ended.final_response or None,
            output=ended.output,
            repairs=ended.repairs,
        )
        end = exchange.event(last)

    def close(connection: sqlite3.Connection) -> None:
        inbox.finish(connection, lease.n, exchange.message_id, outcome_of(end.data))
        exchange.released = leases.release(connection, lease)

    await exchange.pen.record(end, also=close)
