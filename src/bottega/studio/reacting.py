"""Handlers that are called with a session's events, by the events' names."""

from collections.abc import AsyncIterator, Mapping

from bottega.errors import BadUsage
from bottega.events.event import Event
from bottega.events.layers import LAYERS
from bottega.studio.answering import Callback, call


def check(handlers: Mapping[str, Callback]) -> None:
    """Refuse a name that no event has."""
    for name in handlers:
        if name != "on_event" and name.removeprefix("on_") not in LAYERS:
            raise BadUsage(f"There is no event for {name!r}.", hint="docs/events.md lists them.")


async def react(events: AsyncIterator[Event], handlers: Mapping[str, Callback]) -> None:
    """Call `on_<event type>`, then `on_event`, for each event until there are no more."""
    every = handlers.get("on_event")
    async for event in events:
        for handler in (handlers.get(f"on_{event.type}"), every):
            if handler:
                await call(handler, event)
