"""A context for tools under test: a folder, and a list of what was emitted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import Problem
from bottega.tools.context import Question, Remembered, Todo
from bottega.tools.tool import Outcome, Tool
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.sandbox import Sandbox
from bottega.workspaces.shells.shells import Shells


class Workbench:
    """Implements `Context` in memory, on a real folder; a test sets what its tool needs."""

    def __init__(self, folder: Path, call_id: str = "call_1") -> None:
        self.root = Root(folder)
        self.session_id = "ses_test"
        self.person = 1
        self.call_id = call_id
        self.settings: Mapping[str, Any] = {}
        self.judged: Touch | None = None
        self.emitted: list[str] = []
        self.refused: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.held: dict[str, bytes] = {}
        self.sandboxes: dict[bool, Sandbox] = {}
        self.asked: list[Question] = []
        self.answers: list[str] = []
        self.listed: tuple[Todo, ...] = ()
        self.completions: list[tuple[str, str]] = []
        self.outputs = Outputs(folder.with_name(f"{folder.name}.outputs"))
        self.opened_shells: Shells | None = None
        self.remembered: list[Remembered] = []

    def refused_redirect(self, url: str) -> str:
        return self.refused.get(url, "")

    def is_denied(self, path: str) -> bool:
        return False

    def emit_output(self, text: str) -> None:
        self.emitted.append(text)

    def saw(self, path: str, digest: str) -> None:
        self.known[path] = digest

    def seen(self, path: str) -> str:
        return self.known.get(path, "")

    def recall(self, path: str) -> bytes | None:
        return self.held.get(path)

    async def search_log(self, query: str, most: int) -> list[Remembered]:
        return [each for each in self.remembered if query in each.text][:most]

    async def read_log(self, index: int) -> Remembered | None:
        return next((each for each in self.remembered if each.index == index), None)

    async def sandbox(self, *, network: bool = False) -> Sandbox:
        return self.sandboxes[network]

    @property
    def shells(self) -> Shells:
        assert self.opened_shells
        return self.opened_shells

    async def ask(self, question: Question) -> str:
        self.asked.append(question)
        return self.answers.pop(0)

    async def delegate(self) -> dict[str, Any]:
        raise AssertionError("no tool under test is a client's")

    async def todos(self) -> tuple[Todo, ...]:
        return self.listed

    async def set_todos(self, todos: tuple[Todo, ...]) -> None:
        self.listed = todos

    async def complete(self, instructions: str, text: str) -> str:
        self.completions.append((instructions, text))
        return f"answered from {len(text)} characters"


async def outcome_of(tool: Tool, arguments: dict[str, Any], bench: Workbench) -> Outcome:
    """What a tool that runs answers to valid arguments."""
    assert tool.validator(arguments) == ()
    assert tool.run is not None
    return await tool.run(arguments, bench)


async def change_of(tool: Tool, arguments: dict[str, Any], bench: Workbench) -> Change:
    """What a tool that edits would change."""
    assert tool.validator(arguments) == ()
    assert tool.plan is not None
    return await tool.plan(arguments, bench)


async def refusal_of(tool: Tool, arguments: dict[str, Any], bench: Workbench) -> tuple[str, str]:
    """The code and the words with which a tool that edits refuses."""
    try:
        change = await change_of(tool, arguments, bench)
    except Problem as problem:
        return problem.code, str(problem)
    raise AssertionError(f"it was not refused: {change}")


async def succeeded(tool: Tool, arguments: dict[str, Any], folder: Path) -> Any:
    """What a tool answers to valid arguments, as the model reads it."""
    bench = Workbench(folder)
    outcome = await outcome_of(tool, arguments, bench)
    bench.root.close()
    assert outcome.status == "success", outcome
    return said(outcome)["result"]


def said(outcome: Outcome) -> dict[str, Any]:
    return msgspec.json.decode(outcome.to_text())
