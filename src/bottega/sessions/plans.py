"""A plan that was offered at the end of an exchange in plan mode: accepted, changed or discarded."""

import sqlite3
from functools import partial

from bottega.approvals.mode import Mode
from bottega.errors import NotFound
from bottega.events import facts
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.sessions import inbox
from bottega.sessions.asks import Asks, Reply
from bottega.sessions.inbox import AT_HOME, Place, Prompt, Speaker
from bottega.sessions.session import SessionRow, now

GO = "Carry out the plan."


async def accept(  # noqa: PLR0913 - each is a word of its own
    asks: Asks,
    session: SessionRow,
    mode: Mode,
    edited: str = "",
    by: Place = "python",
    *,
    agent: str = "",
    speaker: Speaker = AT_HOME,
    plan: str = "",
) -> str:
    """In one transaction: the plan is accepted, the mode is chosen, and the prompt that carries it out waits.

    `agent` carries it out, if the session's own does not. With the id of a `plan`, that one and no other is accepted.
    Returns the id of the prompt.
    """
    waiting = [ask for ask in asks.open(session.n) if ask.kind == "plan"]
    offered = [ask for ask in waiting if ask.id == plan] if plan else waiting
    if not offered:
        raise NotFound("No plan waits to be accepted.", hint="Ask for one in plan mode.")
    ask = offered[-1]
    said = f"{GO} It was changed:\n\n{edited}" if edited else GO
    prompt = Prompt(fresh_message(), (Text(said),), agent=agent)
    queued = facts.PromptQueued(prompt.content, agent=agent, person=speaker.id)
    before = Event("prompt_queued", now(), queued, prompt.message_id, actor="user")
    after = Event("mode_changed", now(), facts.ModeChanged(mode), actor="user")
    await asks.answer(
        ask.id,
        Reply("accept", edited, person=speaker.id),
        shown=ask.asked.hash,
        before=(before,),
        after=(after,),
        also=partial(_admit, session.n, prompt, mode, by, speaker.n),
    )
    return prompt.message_id


def _admit(
    n: int, prompt: Prompt, mode: Mode, by: Place, person: int, connection: sqlite3.Connection
) -> None:
    inbox.insert(connection, n, prompt, by, person=person)
    inbox.set_mode(connection, n, mode)
