"""A studio in a home of its own whose providers are the mock's ways to answer, and sessions with a past."""

import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from itertools import count, islice
from typing import Any

import msgspec

from bottega.events import facts
from bottega.events.event import Event
from bottega.events.facts import NAMES
from bottega.messages.block import Text, ToolUse
from bottega.providers import catalog
from bottega.sessions import lease as leases
from bottega.sessions.pen import Pen
from bottega.studio import Session, Studio
from bottega.tools.decorator import tool
from stopwatch import QUESTION, TOOL, value_of


async def look_up(key: str, count: int) -> str:
    """Look a value up."""
    return value_of(key, count)


@asynccontextmanager
async def opened(url: str, *modes: str) -> AsyncIterator[Studio]:
    """A studio in which each mode of the mock is a provider: its model is `MODE/mock-1`."""
    catalog.load()  # a studio reads the prices in the background, soon after its first request
    providers = {mode: {"base_url": f"{url}/{mode}/v1"} for mode in modes}
    with tempfile.TemporaryDirectory() as home:
        tools = [tool(name=TOOL, effects={"read"})(look_up)]
        # A window that no history here fills: what is measured is a long history, not its compaction.
        flags = {"providers": providers, "context_window": 1_000_000}
        async with Studio(home, flags=flags, tools=tools) as studio:
            yield studio


async def started(studio: Studio, mode: str, past: Iterable[msgspec.Struct] = ()) -> Session:
    """A session that talks to this mode of the mock, with these facts in its log."""
    session = await studio.start(model=f"{mode}/mock-1", folder=tempfile.gettempdir())
    written = [
        Event(NAMES[type(payload)], 1760000000000, payload, "before", step=1) for payload in past
    ]
    if written:
        async with pen_of(studio, session) as pen:
            await pen.record(*written)
    return session


@asynccontextmanager
async def pen_of(studio: Studio, session: Session) -> AsyncIterator[Pen]:
    """The right to write to the session's log, for as long as this lasts."""
    runtime, n = studio.runtime, session.row.n
    lease = await runtime.database.write(lambda c: studio.worker.contender.take(c, n))
    assert lease
    yield Pen(runtime.log, lease)
    await runtime.database.write(lambda c: leases.let_go(c, lease))


def talk(history: list[dict[str, Any]]) -> Iterator[msgspec.Struct]:
    """A history of plain messages, as the facts that made it."""
    for message in history:
        said = (Text(message["content"]),)
        if message["role"] == "user":
            yield facts.UserMessage(said)
        else:
            yield facts.AssistantMessage(said, "end_turn")
            yield facts.ExchangeResponse(True, "no_more_actions", "end_turn", 1)


def work(length: int) -> Iterator[msgspec.Struct]:
    """That many facts of exchanges with one tool call each."""
    return islice(exchanges(), length)


def exchanges() -> Iterator[msgspec.Struct]:
    for number in count():
        yield from exchange(f"call_{number}")


def exchange(call: str) -> Iterator[msgspec.Struct]:
    text = "It is there, as it was before. " * 8
    arguments = {"key": "alpha", "count": 3}
    yield facts.PromptQueued((Text(QUESTION),))
    yield facts.UserMessage((Text(QUESTION),))
    yield facts.MessageStart("mock/mock-1", "mock")
    yield facts.AssistantMessage((Text(text), ToolUse(call, TOOL, arguments)), "tool_use")
    yield facts.ToolIntent(call, TOOL, "0" * 64, ("read",))
    yield facts.ToolResultFact(call, TOOL, (Text(text),))
    yield facts.MessageStart("mock/mock-1", "mock")
    yield facts.TextDelta(text)
    yield facts.AssistantMessage((Text(text),), "end_turn")
    yield facts.ExchangeResponse(True, "no_more_actions", "end_turn", 2, text)
