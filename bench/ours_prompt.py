"""What the model is told with a request: looking at the folder, by the clock; building a request from its history."""

import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from bottega.agents.prompt import turn
from bottega.agents.prompt.reminder import Situation, due
from bottega.agents.prompt.system import system
from bottega.events.facts import Aside, Instructions, Opening
from bottega.messages.block import Text
from bottega.messages.message import Message, user
from bottega.messages.repair import repair
from bottega.studio import Studio
from bottega.workers.exchange import Exchange
from stopwatch import QUESTION, Figures, history, main

LOOK = [{"do": "call", "name": "get_project_info", "input": {}}]
SAY = [{"do": "say", "text": "That is all."}]
OPENING = Opening(
    {"mode": "ask", "mode_instructions": "Ask.", "project_path": "/work"},
    (Instructions("AGENTS.md", "Keep it small. " * 200),),
)


async def prompt(_: str, quick: bool) -> Figures:
    told = await telling(3 if quick else 10)
    return {**told, **{f"prompt.{count}": building(count) for count in (10, 1000)}}


async def telling(sessions: int) -> Figures:
    """Milliseconds before a session's first request, before later ones, and between two steps."""
    spent: list[float] = []
    tell = Exchange.tell

    async def timed(self: Exchange, *given: Any) -> None:
        begin = time.perf_counter()
        await tell(self, *given)
        spent.append((time.perf_counter() - begin) * 1e3)

    Exchange.tell = timed
    with tempfile.TemporaryDirectory() as place:
        folder = repository(Path(place) / "project")
        script = Path(place) / "script.json"
        script.write_bytes(msgspec.json.encode({"turns": [LOOK, SAY] * 5}))
        async with Studio(Path(place) / "home") as studio:
            for _ in range(sessions):
                session = await studio.start(model=f"scripted/{script}", folder=folder)
                for _ in range(5):
                    await session.prompt(QUESTION)
    first, steps = spent[::10], spent[1::2]
    later = [each for number, each in enumerate(spent) if number % 2 == 0 and number % 10]
    return {
        "prompt.first": median(first),
        "prompt.next": median(later),
        "prompt.step": median(steps),
    }


def repository(folder: Path) -> Path:
    """A project of 500 files under git."""
    for number in range(500):
        file = folder / f"part{number % 20}" / f"file{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"NUMBER = {number}\n")
    named = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for words in (("init", "-q"), ("add", "."), (*named, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


def building(count: int) -> float:
    """Milliseconds of CPU: reminders, the aside, the system prompt and a valid history of that many messages."""
    past: list[Message] = []
    for each in history(count):
        said = (Text(each["content"]),)
        past.append(user(each["content"]) if each["role"] == "user" else Message("assistant", said))
        if each["role"] == "user":
            turn.told(past, Aside("<context>\nFolder: /work\n</context>"))
    times, begin = 200, time.process_time()
    for _ in range(times):
        asked = [*past, user(QUESTION)]
        words = turn.aside(("", {}), due(Situation(told={"mode": "ask"}, mode="plan")))
        assert words is not None
        turn.told(asked, words)
        assert system("You work in {project_path}.", OPENING)
        assert len(repair(asked, "openai-chat")) == count + 1
    return (time.process_time() - begin) / times * 1e3


if __name__ == "__main__":
    main(prompt=prompt)
