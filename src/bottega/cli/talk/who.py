"""Who works in a conversation: the agent that is shown, listed or chosen."""

import textwrap
from pathlib import Path

import msgspec

from bottega.approvals.mode import Mode, narrower
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.tools import Part
from bottega.errors import Problem
from bottega.studio import Studio
from bottega.studio.anywhere import AnySession


class Wish(msgspec.Struct):
    """What the next session begins with."""

    model: str
    agent: str
    folder: Path
    mode: Mode = "ask"


def mode(studio: Studio, session: AnySession | None, wish: Wish) -> Mode:
    """How much is done unasked: what was chosen, and no more than the agent may."""
    if session:
        return session.mode
    try:
        return narrower(wish.mode, studio.runtime.agent(wish.agent).mode)
    except Problem:
        return wish.mode


def held(studio: Studio, wish: Wish) -> list[Part]:
    """What to say to a mode that the agent does not take part in."""
    most = studio.runtime.agent(wish.agent).mode
    return [
        (one_line(wish.agent), "bold"),
        (f" does no more than {most} mode allows; /agent chooses another.", ""),
    ]


def shown(studio: Studio, wish: Wish) -> list[Part]:
    spec = studio.runtime.shelf.find(wish.agent).usable()
    return [
        (one_line(spec.slug), "bold"),
        (f" works: {_first_small(spec.description)} /agents lists who else can.", ""),
    ]


async def choose(studio: Studio, session: AnySession | None, wish: Wish, name: str) -> list[Part]:
    """Have another agent work from the next prompt on; returns what to say."""
    runtime, before = studio.runtime, wish.model
    agent = runtime.agent(name)
    own = runtime.model_of(agent)
    if session:
        await session.change_agent(name)
        wish.model = session.row.model
    elif own:
        runtime.model(own.model)
        wish.model = own.model
    wish.agent = agent.slug
    model = f", on {one_line(wish.model)}" if wish.model != before else ""
    most = {"plan": " It only plans.", "ask": " It asks before anything that matters."}
    told = f" works from now on{model}.{most.get(agent.mode, '')}"
    return [(one_line(agent.slug), "bold"), (told, "")]


def listed(studio: Studio, here: str, width: int) -> list[list[Part]]:
    """One line each where it fits, else more, below each other."""
    found = studio.agents()
    widest = max(len(each.slug) for each in found)
    lines: list[list[Part]] = []
    for each in found:
        mark = "›" if each.slug == here else " "
        broken = f"cannot be used: `bottega agents validate {each.slug}` says why"
        told = broken if each.problems or not each.spec else each.spec.description
        first, *rest = textwrap.wrap(one_line(told), max(20, width - widest - 6)) or [""]
        name = one_line(each.slug, 64).ljust(widest)
        style = "red" if each.problems else ""
        lines.append([(f"{mark} ", "accent"), (name, "bold"), (f"  {first}", style)])
        lines += [[(" " * (widest + 4) + line, style)] for line in rest]
    return lines


def _first_small(text: str) -> str:
    return one_line(text[:1].lower() + text[1:])
