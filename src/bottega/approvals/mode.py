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


def stricter(mode: Mode, most: Mode | Literal[""]) -> Mode:
    """The mode, but no more than `most`; empty: whatever it is."""
    return MODES[min(MODES.index(mode), MODES.index(most))] if most else mode
