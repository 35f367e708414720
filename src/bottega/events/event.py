"""The envelope that every event travels in, stored or derived."""

from typing import Any, Literal

import msgspec

Actor = Literal["user", "agent", "provider", "tool", "system"]


class Event(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened. `(session, index)` names a fact; a derived event adds `sub`."""

    type: str
    at: int
    """Milliseconds UTC, for display only: order is `index`."""
    data: Any
    """A struct of `facts` or `layers`; `msgspec.Raw` where this version does not know the type."""
    message_id: str = ""
    """The prompt that started the exchange."""
    step: int = 0
    """Counts the model calls of the exchange, from 1."""
    attempt: int = 0
    """Counts the tries of one step, from 1."""
    actor: Actor = "system"
    index: int = 0
    """The place in the log, from 1 without gaps; 0 until it is stored."""
    sub: int = 0
    """0 is the fact itself; what the fold derives stands before it (-2, -1) or after it (1, 2)."""


class Carried(Event, frozen=True, gc=False):
    """A fact of another log, of a Bottega or a file, on its way into one of ours."""

    body: bytes = b""
    """What is stored: as this program writes it, whatever the bytes were that it came in."""
