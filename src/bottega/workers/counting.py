"""How large a session's next request is, from its log: what providers counted for the last ones, and guesses since."""

import asyncio
from collections.abc import Sequence

import msgspec

from bottega.agents.context.measure import Answered, Gauge, calibrated, message_tokens
from bottega.agents.model import Model
from bottega.agents.plan import Plan
from bottega.agents.prompt.built import built
from bottega.events import facts
from bottega.events.codec import decode
from bottega.providers import catalog
from bottega.providers.provider import ToolSpec
from bottega.sessions.feed import Row
from bottega.sessions.told.history import Told

ASSUMED = 128_000
"""The window of a model of which nobody says it."""


def before_messages(plan: Plan, opening: facts.Opening | None) -> tuple[str, tuple[ToolSpec, ...]]:
    """What a request has before its messages: the system prompt, and the tools."""
    tools = plan.registry.specs() if plan.offers_tools else ()
    return built(plan, opening or facts.Opening()), tools


async def window_of(model: Model) -> int | None:
    """The model's window, whatever it takes to learn it; None: nobody knows."""
    if model.window() is None and not catalog.is_read():
        await asyncio.to_thread(catalog.load)
    return model.window()


ANSWER = b'{"type":"assistant_message"'
OTHERWISE = (b'{"type":"compaction', b'{"type":"session_reset"', b'{"type":"session_cleared"')


class Guessed(msgspec.Struct, frozen=True):
    total: int
    """Tokens of a request."""
    factor: float
    """Tokens of this model to one of our guesses."""
    known: bool = False
    """It rests on what was counted or made before, and is no mere guess."""
    counted: bool = False
    """A provider counted most of it."""
    exact: float = 1.0
    """The same for this very request: by it, guesses of its parts add up to `total`."""


def guessed(rows: Sequence[Row], told: Sequence[Told], fixed: float) -> Guessed:
    """How much a session's next request is, by what providers counted for its last ones."""
    messages = [message for _, message in told]
    answers, made = _counted(rows, told)
    raw = fixed + sum(map(message_tokens, messages))
    if not answers and made is None:
        return Guessed(round(raw), 1.0)
    factor = calibrated(messages, fixed, answers).factor
    if answers:
        gauge = Gauge()
        gauge.answered(answers[0].usage)
        base, place = gauge.counted or 0, answers[0].place + 1
    else:
        index, base = made or (0, 0)
        place = sum(each <= index for each, _ in told)
        then = fixed + sum(map(message_tokens, messages[:place]))
        factor = base / then if then else 1.0
    total = base + round(factor * sum(map(message_tokens, messages[place:])))
    exact = total / raw if raw else 1.0
    return Guessed(total, factor, known=True, counted=bool(answers), exact=exact)


def _counted(
    rows: Sequence[Row], told: Sequence[Told], most: int = 9
) -> tuple[list[Answered], tuple[int, int] | None]:
    """What was counted for the last answers that were asked for with what is seen now, newest first.

    Also the index of the compaction before them, and what was left after it.
    """
    places = {index: place for place, (index, _) in enumerate(told)}
    found: list[Answered] = []
    before = 2**62
    for index, body in reversed(rows):
        if not body.startswith((ANSWER, *OTHERWISE)) or index > before:
            continue
        said = decode(index, body).data
        if isinstance(said, facts.CompactionUndone):
            before = said.compaction - 1  # what was asked in between saw less
        elif isinstance(said, facts.Compaction):
            return found, (index, said.after) if said.after else None
        elif not isinstance(said, facts.AssistantMessage) or len(found) == most:
            break
        elif index in places and said.usage.input_tokens:
            found.append(Answered(places[index], said.usage))
    return found, None
