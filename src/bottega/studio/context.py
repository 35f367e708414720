"""How full a session's context is: what its next request would hold, part by part, and when it is compacted."""

import asyncio

import msgspec

from bottega.agents.context.measure import measure, scaled
from bottega.events import facts
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow
from bottega.sessions.told.history import indexed
from bottega.studio.opened import Opened
from bottega.workers.counting import ASSUMED, Guessed, before_messages, guessed, window_of


class Context(msgspec.Struct, frozen=True):
    model: str
    window: int
    """Tokens that the model takes."""
    assumed: bool
    """Nobody says how large the window is."""
    tokens: int
    """Of the next request, before anything new is said."""
    counted: bool
    """The provider counted most of it; else it is a guess."""
    parts: dict[str, int]
    """Tokens of each part (system, tools, instructions, words, asides, answers, calls, results, media)."""
    compact_at: int
    """Percent of the window at which the session is compacted by itself; 0: never."""

    @property
    def percent(self) -> float:
        return 100 * self.tokens / self.window


async def context_of(opened: Opened, session: SessionRow) -> Context:
    rows = await opened.runtime.log.facts(session.n)
    plan = await opened.runtime.plan(session, Prompt("", ()))
    opening = opened.hands.remembered(session.n)[1].opening or facts.Opening()
    instructions = [each.text.strip() for each in opening.instructions]
    system, tools = before_messages(plan, opening)

    def counted() -> tuple[dict[str, float], Guessed]:
        told = indexed(rows)
        parts = measure([message for _, message in told], system, tools, instructions)
        fixed = parts["system"] + parts["tools"] + parts["instructions"]
        return parts, guessed(rows, told, fixed)

    parts, found = await asyncio.to_thread(counted)  # a long session takes a while
    window = await window_of(plan.model)
    return Context(
        model=plan.model.name,
        window=window or ASSUMED,
        assumed=window is None,
        tokens=found.total,
        counted=found.counted,
        parts=scaled(parts, found.total),
        compact_at=opened.hands.compact_at,
    )
