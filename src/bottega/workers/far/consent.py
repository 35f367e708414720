"""The first time that an agent's token would go to an address, the owner of the home is asked.

The answer is kept with a hash of the agent's entry (`spending/approved.py`): what was changed since is asked about
again. Where the owner is not the one to be asked, nothing is sent, and it is said what to type.
"""

import asyncio
from typing import TYPE_CHECKING

from bottega.agents.plan import Elsewhere
from bottega.errors import Refused
from bottega.events import facts
from bottega.workers.acting.question import by_child

if TYPE_CHECKING:
    from bottega.workers.exchange import Exchange

YES = "Send it there"
NO = "Do not send it"


async def consented(exchange: "Exchange", elsewhere: Elsewhere) -> None:
    """Returns once the owner has agreed, now or before; raises `Refused` where they have not, or cannot be asked."""
    consent = elsewhere.consent
    if await asyncio.to_thread(consent.is_given):
        return
    elsewhere.token()  # where there is none, there is nothing to ask
    if not (consent.may_ask and exchange.plan.attended):
        raise _refused(elsewhere, "has not been approved by the owner of this home")
    asked = facts.ApprovalRequired(
        "",
        "question",
        hash=consent.hash,
        question=consent.question,
        choices=(YES, NO),
        detail={"url": elsewhere.where.address},
    )
    waiting = exchange.asking.ask(by_child(asked, exchange), {})
    answered = await (waiting if exchange.parent else exchange.asking.at_work(waiting))
    # What another Bottega asked in the same exchange is no answer to this.
    if answered.far or answered.reply is None or answered.reply.note.strip() != YES:
        raise _refused(elsewhere, "was not approved")
    await asyncio.to_thread(consent.give)


def _refused(elsewhere: Elsewhere, why: str) -> Refused:
    where = elsewhere.where
    return Refused(
        f"Nothing was sent to {where.address}: that its agent gets the token {where.token_name!r} {why}.",
        hint=f"The owner of this home looks at it and types: {elsewhere.consent.command}",
    )
