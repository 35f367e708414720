"""What goes on only if a person says so: past a limit that was reached, or after its process had ended."""

from bottega.cli.asking.desk import Desk, unheard
from bottega.cli.asking.shown import asks
from bottega.cli.screen.clean import visible
from bottega.sessions.asks import Ask, Reply

_HELP = "Enter decides nothing here: y goes on, s stops."


class More:
    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk = desk
        self._ask = ask

    async def reply(self) -> Reply:
        """Show it, and wait for a decision."""
        self._desk.say("ask", [("? ", "accent"), (asked(self._ask), "bold")])
        resumes = self._ask.kind == "resume"
        offered = [
            ("y", "go on" if resumes else f"go on, up to {raised_to(self._ask)}"),
            ("s", "stop"),
        ]
        hint = ""
        with self._desk.asking() as asking:
            while True:
                key = await asking.key(offered, hint)
                if key == "y":
                    return Reply("continue" if resumes else "raise")
                if key == "s":
                    return Reply("stop")
                hint = _HELP if key in ("enter", "?") else unheard(key)


def asked(ask: Ask) -> str:
    return asks(ask) + visible(ask.asked.question)


def raised_to(ask: Ask) -> str:
    """What the limit would be from now on, in words."""
    name, to = str(ask.asked.detail.get("limit", "")), float(ask.asked.detail.get("to", 0))
    match name:
        case "cost":
            return f"${to / 1_000_000:,.2f}"
        case "iterations":
            return f"{to:,.0f} model calls"
        case "repeats":
            return f"{to:,.0f} times"
        case _:
            return f"{to:,.0f} {name}"
