"""A process that lives through the day, or a part of it: it says what was not said yet, and minds what it sees."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from bottega import failpoint
from bottega.agents.limits import NO_LIMITS
from bottega.agents.spec import Spec
from bottega.events.event import Event
from bottega.messages.block import plain_text
from bottega.settings import load
from bottega.studio import Session, Studio
from bottega.tools.decorator import tool
from tests.day.hours import CLAUDE, PLAIN, Hour, day, marked, name
from tests.forking import CONTEXT

WINDOW = 9_000


@tool(effects=["read"])
def survey(place: str) -> str:
    """Look at a place, at length."""
    return f"{place}: " + "sound planks, some moss, no rot that a finger finds; " * 12


@tool(effects=["read"])
def stumble(why: str) -> str:
    """Fail."""
    raise ValueError(f"slipped on {why}")


def trace(path: Path) -> Any:
    @tool(effects=["write"])
    def leave_trace(name: str) -> str:
        """Have an effect that can be counted."""
        with path.open("a") as file:
            file.write(f"{name}\n")
        return "left"

    return leave_trace


AGENTS = [
    Spec(
        slug="roofer",
        name="Roofer",
        system_prompt="You mend roofs.\n{mode_instructions}",
        tools=(
            *("survey", "stumble", "leave_trace", "read_file", "write_file", "todo_write"),
            *("recall", "delegate"),
        ),
        limits=NO_LIMITS,
    ),
    Spec(
        slug="thinker",
        name="Thinker",
        type="ReActAgent",
        system_prompt="You think aloud.\n{mode_instructions}",
        tools=("survey", "stumble", "leave_trace", "read_file", "write_file", "recall"),
        limits=NO_LIMITS,
    ),
    Spec(slug="writer", name="Writer", type="StreamAgent", system_prompt="You write signs."),
]


class Given(msgspec.Struct, frozen=True):
    """What a life begins with."""

    home: str
    folder: str
    url: str
    length: int
    failpoints: str = ""
    words: str = ""
    """Said when all else was."""

    @property
    def traces(self) -> Path:
        return Path(self.home).parent / "traces"


def begin(given: Given) -> Any:
    """A process of its own that lives through it."""
    process = CONTEXT.Process(target=_live, args=(msgspec.json.encode(given),))
    process.start()
    return process


def _live(given: bytes) -> None:
    found = msgspec.json.decode(given, type=Given)
    failpoint.arm(found.failpoints)
    asyncio.run(_through(found))


def studio(given: Given) -> Studio:
    environment = {
        f"{vendor}_{what}": value
        for vendor in ("ANTHROPIC", "OPENAI", "GEMINI")
        for what, value in (("BASE_URL", given.url), ("API_KEY", "sk-canary"))
    }
    flags = {
        "context_window": WINDOW,
        "mode": "allow",
        "effort": "low",
        "text_calls": [PLAIN],
        "window_usd": 0,
    }
    settings = load(flags, home=Path(given.home), environment=environment)
    tools = [survey, stumble, trace(given.traces)]
    return Studio(settings=settings, tools=tools, agents=AGENTS, on_crash="resume")


async def _through(given: Given) -> None:
    async with studio(given) as open_:
        rows = [row for row in await open_.sessions() if not row.parent]
        session = (
            open_.find(rows[0].id)
            if rows
            else await open_.start(model=CLAUDE, agent="roofer", folder=given.folder)
        )
        for number, hour in enumerate(day(given.length), 1):
            await _Minding(session, number, hour).mind()
        if given.words:
            await session.prompt(given.words, model=CLAUDE)


class _Minding:
    """One hour as its user sees it; what was done in an earlier life is seen again and not done again."""

    def __init__(self, session: Session, number: int, hour: Hour) -> None:
        self._session = session
        self._number = number
        self._hour = hour
        self._steers: list[asyncio.Task[Any]] = []
        self._log: list[Event] = []

    async def mind(self) -> None:
        hour = self._hour
        self._log = await self._session.facts()
        answer = self._session.prompt(
            marked(self._number, hour),
            model=hour.model,
            agent=hour.agent,
            message_id=name(self._number),
        )
        results = 0
        async for event in answer:
            if event.type == "tool_result":
                results += 1
                await self._look(results)
                if hour.cancel and results == hour.cancel:
                    await answer.cancel()
        await asyncio.gather(*self._steers)
        if hour.compact < 0 and not self._was("compaction", "asked"):
            await self._session.compact()

    async def _look(self, results: int) -> None:
        hour, session = self._hour, self._session
        when, words = hour.steer
        if results == when and not self._was("prompt_queued", words):
            self._steers.append(asyncio.create_task(_end(session.steer(words))))
        if results == hour.compact and not self._was("compaction", name(self._number)):
            await session.compact()
        if results in hour.plan:
            await session.change_mode("plan" if results == hour.plan[0] else "allow")

    def _was(self, kind: str, what: str) -> bool:
        """Whether such a thing stood in the log when this hour began."""
        for event in self._log:
            if event.type == kind == "prompt_queued" and plain_text(event.data.content) == what:
                return True
            if event.type == kind == "compaction" and what in (event.data.reason, event.message_id):
                return True
        return False


async def _end(answer: Any) -> Any:
    return await answer
