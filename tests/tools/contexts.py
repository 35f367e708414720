"""A context for tools under test: a folder, and a list of what was emitted."""

from pathlib import Path
from typing import Any

import msgspec

from bottega.tools.tool import Outcome, Tool
from bottega.workspaces.confine import Root


class Workbench:
    def __init__(self, folder: Path, call_id: str = "call_1") -> None:
        self.root = Root(folder)
        self.call_id = call_id
        self.emitted: list[str] = []

    def emit_output(self, text: str) -> None:
        self.emitted.append(text)


async def succeeded(tool: Tool, arguments: dict[str, Any], folder: Path) -> Any:
    """What a tool answers to valid arguments, as the model reads it."""
    assert tool.validator(arguments) == ()
    bench = Workbench(folder)
    outcome = await tool.run(arguments, bench)
    bench.root.close()
    assert outcome.status == "success", outcome
    return said(outcome)["result"]


def said(outcome: Outcome) -> dict[str, Any]:
    return msgspec.json.decode(outcome.to_text())
