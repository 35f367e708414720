"""How much may be done unasked."""

from typing import Literal

from bottega.errors import BadUsage

Mode = Literal["plan", "ask", "allow"]

MODES: tuple[Mode, ...] = ("plan", "ask", "allow")


def checked_mode(mode: str) -> Mode:
    """The mode of that name; refuse any other word."""
    for known in MODES:
        if mode == known:
            return known
    raise BadUsage(f"There is no mode {mode!r}.", hint=f"There are: {', '.join(MODES)}.")


def narrower(one: Mode, other: Mode | Literal[""]) -> Mode:
    """The one of both that allows less; empty allows everything."""
    return MODES[min(MODES.index(one), MODES.index(other))] if other else one
