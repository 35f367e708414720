"""An answer, read: what was asked for taken out of it, and what is left to show."""

import msgspec

from bottega.agents.reading.outline import lines
from bottega.agents.reading.sieve import Sieve, Wanted
from bottega.messages.block import ToolUse

__all__ = ["Reading", "Wanted", "read"]


class Reading(msgspec.Struct, frozen=True):
    shown: str
    """The answer without what was taken out; all else byte for byte."""
    calls: tuple[ToolUse, ...] = ()
    foreign: str = ""
    """A sentence that names a call in a form that is not run; empty if there is none."""
    complete: bool = False
    """The answer says that the task is complete."""
    thought: str = ""


def read(text: str, prefix: str = "call_", wanted: Wanted | None = None) -> Reading:
    """Read a whole answer; the ids of its calls are the prefix and a number."""
    sieve = Sieve(wanted or Wanted(calls=True, signals=True), prefix)
    whole = lines(text)
    for place, line in enumerate(whole):
        if sieve.full:
            sieve.feed("".join(whole[place:]))
            break
        sieve.feed(line)
    sieve.end()
    return reading(sieve, sieve.flow.take())


def reading(sieve: Sieve, shown: str) -> Reading:
    """What a sieve has found at the end."""
    thought = "\n\n".join(filter(None, sieve.thoughts))
    return Reading(shown, sieve.calls.found, sieve.foreign.sentence, sieve.complete, thought)
