"""The stories of `endings.py` as they really happen: a studio, a scripted model, and the facts that it writes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.agents.limits import Limits
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.studio import Session, Studio
from tests.chaos.victim import Victim

NO_LIMITS = dict.fromkeys(Limits.__struct_fields__)
AGENTS = (
    Agent(slug="worker", prompt="Work."),
    Agent(slug="writer", type="StreamAgent", prompt="Write files."),
    Agent(slug="thinker", type="ReActAgent", prompt="Think."),
    Agent(slug="limited", prompt="Work.", limits=Limits(**{**NO_LIMITS, "iterations": 1})),
)


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text, "pieces": 1}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


def stop(reason: str) -> dict[str, Any]:
    return {"do": "stop", "reason": reason}


class Run(msgspec.Struct, frozen=True):
    """A model's turns, and who works with it."""

    turns: list[list[dict[str, Any]]]
    agent: str = "worker"
    mode: Any = "allow"
    text_calls: bool = False
    on_approval: Callable[[Ask], Reply] | None = None
    schema: dict[str, Any] | None = None
    prompts: int = 1
    cancel: bool = False
    """Somebody stops it while the model is still speaking."""


LOOK = call("read_file", file_path="notes.txt")
HTML = "Here it is.\n\n```html index.html\n<p>Hi</p>\n```\n"
CSS = "In colour.\n\n```css style.css\np { color: teal }\n```\n"
FENCE = '```tool_call\n{"name": "read_file", "arguments": {"file_path": "notes.txt"}}\n```'
FOREIGN = '<function_calls><invoke name="read_file"></invoke></function_calls>'


def _only_html(ask: Ask) -> Reply:
    if ask.input["file_path"] == "index.html":
        return Reply("allow_once")
    return Reply("deny", "no colours")


def _once_more() -> Callable[[Ask], Reply]:
    words = iter(("raise", "stop"))
    return lambda _: Reply(next(words))


RUNS: dict[str, Run] = {
    "stream-agent": Run(
        [[say(HTML)], [say(CSS)]], "writer", "ask", on_approval=_only_html, prompts=2
    ),
    "stream-agent-cut-off": Run([[say("```txt half.txt\nhal")]], "writer"),
    "react-agent": Run(
        [
            [say("THOUGHT: I have to look.\n\n"), LOOK],
            [say("THOUGHT: That is all.\n\nANSWER: It says hello.")],
        ],
        "thinker",
    ),
    "text-calls": Run([[say(f"I look.\n\n{FENCE}\n")], [say("It says hello.")]], text_calls=True),
    "iterative-agent": Run([[say("I look."), LOOK], [say("It says hello.")]]),
    "ended-by-signal": Run([[say("It is done.\n\nTASK_COMPLETE")]]),
    "ended-unfinished": Run(
        [[say("Done.\nTASK_COMPLETE\n"), call("read_file", file_path=f"no-{n}")] for n in range(4)]
    ),
    "ended-by-user": Run([[say("Once upon"), {"do": "gate", "path": "/never"}]], cancel=True),
    "ended-by-limit": Run([[LOOK], [say("Never.")]], "limited"),
    "ended-at-raised-limit": Run([[LOOK], [LOOK], [LOOK]], "limited", on_approval=_once_more()),
    "ended-by-provider": Run(
        [[{"do": "fail", "code": "bad_key", "message": "No.", "hint": "Set it."}]]
    ),
    "ended-cut-off": Run([[say("Half"), {"do": "cut"}]]),
    "ended-empty": Run([[say("")]] * 4),
    "ended-foreign": Run([[say(FOREIGN)]] * 4, text_calls=True),
    "ended-refused": Run([[say("I will not."), stop("refusal")]]),
    "ended-by-output-limit": Run([[say("And so on and"), stop("max_tokens")]]),
    "structured": Run(
        [[say("Two.")], [say("2")]],
        schema={"type": "integer"},
    ),
    "ended-invalid-output": Run([[say("Two.")]] * 4, schema={"type": "integer"}),
}


class Stage:
    """Where the runs happen: one home, one folder, a script for each."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.home = place / "home"
        self.folder = place / "project"
        self.folder.mkdir()
        (self.folder / "notes.txt").write_text("hello\n")

    def model(self, name: str, turns: list[list[dict[str, Any]]]) -> str:
        path = self._place / f"{name}.json"
        path.write_bytes(msgspec.json.encode({"turns": turns}))
        return f"scripted/{path}"

    async def all(self) -> dict[str, list[Event]]:
        """The facts of every run."""
        models = {name: self.model(name, run.turns) for name, run in RUNS.items()}
        in_text = [models[name] for name, run in RUNS.items() if run.text_calls]
        async with Studio(self.home, agents=AGENTS, flags={"text_calls": in_text}) as studio:
            told = {name: await self._told(studio, models[name], run) for name, run in RUNS.items()}
        return {**told, "ended-by-interruption": await self._interrupted()}

    async def _told(self, studio: Studio, model: str, run: Run) -> list[Event]:
        session = await studio.start(
            model=model, folder=self.folder, agent=run.agent, mode=run.mode
        )
        for _ in range(run.prompts):
            answer = session.prompt("go", on_approval=run.on_approval, schema=run.schema)
            async for event in answer:
                if run.cancel and event.type == "text_delta":
                    await answer.cancel()
        return await whole(studio, session)

    async def _interrupted(self) -> list[Event]:
        gate = {"do": "gate", "path": str(self._place / "never")}
        model = self.model("interrupted", [[say("Half an answer"), gate]])
        home = self._place / "other"
        victim = Victim(home, model, self.folder)
        shown = victim.prints(b"text_delta")
        victim.kill()
        victim.last_words(shown)
        async with Studio(home) as studio:
            (row,) = await studio.sessions()
            return await whole(studio, await studio.resume(row.id))


async def whole(studio: Studio, session: Session) -> list[Event]:
    """Every fact of a session, deltas too, as it is stored: memory may still be behind."""
    return [decode(*row) for row in await studio.runtime.log.page(session.row.n, 0)]
