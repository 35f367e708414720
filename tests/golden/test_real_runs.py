"""The stories of how runs end are true: a real studio writes the same facts in the same order, with the same fields."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.events import codec, facts
from bottega.events.event import Event
from tests.golden.endings import ENDINGS
from tests.golden.real_runs import Stage

_CHANGES = {"duration_ms", "partial_json"}
"""Fields that may be nothing in one run and something in the next."""

_VALUES: dict[type[Any], tuple[str, ...]] = {
    facts.ExchangeResponse: (
        "success",
        "completion_reason",
        "stop_reason",
        "iterations",
        "final_response",
        "output",
        "repairs",
    ),
    facts.ErrorMessage: ("code", "retryable"),
    facts.AssistantMessage: ("stop_reason", "provider_stop"),
    facts.ToolIntent: ("name", "effects"),
    facts.ToolResultFact: ("tool_id", "name", "is_error"),
    facts.ApprovalRequired: ("kind", "tool_name", "choices"),
    facts.ApprovalResolved: ("answer", "note"),
    facts.FileReady: ("path", "size"),
    facts.TextDelta: ("text",),
    facts.ReasoningDelta: ("text",),
}
"""What is the same in the story and in the run, beside which fields say anything."""


def outline(event: Event) -> tuple[Any, ...]:
    stored = msgspec.json.decode(codec.encode(event))["data"]
    fields = {name for name, value in stored.items() if value not in ("", 0, None, [], {})}
    values = [getattr(event.data, name) for name in _VALUES.get(type(event.data), ())]
    blocks = [type(block).__name__ for block in getattr(event.data, "content", ())]
    return event.type, event.step, event.attempt, event.actor, fields - _CHANGES, values, blocks


def whole(log: list[Event]) -> list[tuple[Any, ...]]:
    """The outlines of a log; the later pieces of a call's arguments may be stored apart or not."""
    return [
        outline(event)
        for event in log
        if not isinstance(event.data, facts.InputJsonDelta) or event.data.id
    ]


@pytest.mark.requirement("T17", "X21")
async def test_every_story_is_what_a_real_run_writes(tmp_path: Path) -> None:
    told = await Stage(tmp_path).all()
    assert told.keys() == ENDINGS.keys()
    for name, story in ENDINGS.items():
        assert whole(told[name]) == whole(story), name
    ends = {end_of(log) for log in told.values()}
    assert ends == documented()


def end_of(log: list[Event]) -> tuple[str, bool]:
    return log[-1].data.completion_reason, log[-1].data.success


def documented() -> set[tuple[str, bool]]:
    """The ends that docs/events.md lists."""
    text = (Path(__file__).parents[2] / "docs" / "events.md").read_text("utf-8")
    table = text.partition("## How an exchange ends")[2].partition("\n\nA prompt")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| `")][1:]
    return {(row[0].strip("| `"), row[1] == "yes") for row in rows}
