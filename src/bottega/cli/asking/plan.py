"""A plan that was offered: carried out, changed first, thrown away, or planned on."""

from typing import Literal

import msgspec

from bottega.cli.asking.desk import Desk
from bottega.sessions.asks import Ask

KEYS = [
    ("a", "in ask mode"),
    ("l", "in allow mode"),
    ("e", "edit"),
    ("d", "discard"),
    ("Enter", "keeps planning"),
]


class Decision(msgspec.Struct, frozen=True):
    word: Literal["accept", "discard", "later"]
    mode: Literal["ask", "allow"] = "ask"
    edited: str = ""


async def decide(desk: Desk, ask: Ask) -> Decision:
    """Ask what becomes of the plan."""
    plan = str(ask.input.get("plan", ""))
    edited = hint = ""
    desk.say("ask", [("? ", "accent"), ("Accept this plan?", "bold")])
    with desk.asking() as asking:
        while True:
            key = await asking.key(KEYS, hint)
            hint = ""
            match key:
                case "a":
                    return Decision("accept", "ask", edited)
                case "l":
                    return Decision("accept", "allow", edited)
                case "d":
                    return Decision("discard")
                case "e":
                    said = await asking.line("  plan › ", edited or plan)
                    edited = said if said and said.strip() and said != plan else edited
                    hint = "Changed: accept it with a or l." if edited else ""
                case "enter" | "escape":
                    return Decision("later")
                case _:
                    hint = "Press one of these."
