"""Bottega: a workshop where people work with LLM agents on real projects."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bottega.agents.agent import Agent as Agent
    from bottega.agents.spec import Spec as Spec
    from bottega.events.event import Event as Event
    from bottega.sessions.asks import Ask as Ask
    from bottega.sessions.asks import Reply as Reply
    from bottega.studio import Answer as Answer
    from bottega.studio import Session as Session
    from bottega.studio import Studio as Studio
    from bottega.studio.structured import NoOutput as NoOutput
    from bottega.tools.decorator import tool as tool

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "Answer",
    "Ask",
    "Event",
    "NoOutput",
    "Reply",
    "Session",
    "Spec",
    "Studio",
    "tool",
]

_HOMES = {
    "Agent": "bottega.agents.agent",
    "Answer": "bottega.studio",
    "Ask": "bottega.sessions.asks",
    "Event": "bottega.events.event",
    "NoOutput": "bottega.studio.structured",
    "Reply": "bottega.sessions.asks",
    "Session": "bottega.studio",
    "Spec": "bottega.agents.spec",
    "Studio": "bottega.studio",
    "tool": "bottega.tools.decorator",
}


def __getattr__(name: str) -> Any:
    """Import a part when it is first asked for, so that `bottega --help` pays for none."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bottega' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
