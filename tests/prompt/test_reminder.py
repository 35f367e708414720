"""Reminders come when their cause does, have a type and a priority, and do not nag."""

from typing import Any, get_args

import msgspec
import pytest

from bottega.agents.prompt.reminder import (
    MANY,
    QUIET,
    Reminder,
    Situation,
    Type,
    due,
    said,
)
from bottega.events.facts import Instructions, TodoItem

DONE, DOING, OPEN = (
    TodoItem("build", "completed"),
    TodoItem("test it", "in_progress"),
    TodoItem("ship"),
)
CALM: dict[str, Any] = {"exchange": "e1", "told": {"mode": "ask", "date": "2026-01-01"}}


def now(**changed: Any) -> Situation:
    return Situation(**{"date": "2026-01-01", **CALM, **changed})


def one(situation: Situation) -> Reminder:
    (found,) = due(situation)
    return found


def after(situation: Situation, **changed: Any) -> Situation:
    """The same, once all that was due has been told."""
    told = dict(situation.told)
    for each in due(situation):
        told |= each.told
    return msgspec.structs.replace(situation, told=told, **changed)


def test_nothing_is_said_when_there_is_nothing_to_say() -> None:
    assert due(now(begins=True)) == ()
    assert said(()) == ""


CAUSES: dict[str, tuple[Situation, Type, str, str]] = {
    "mode": (now(mode="plan"), "instruction", "high", "You are in plan mode"),
    "plan": (
        now(told={"mode": "plan"}, mode="allow", plan_accepted=True),
        "instruction",
        "high",
        "accepted the plan",
    ),
    "instructions": (
        now(instructions=[Instructions("AGENTS.md", "Use tabs.")]),
        "instruction",
        "high",
        "Use tabs.",
    ),
    "files": (now(files={"a.py": "1"}), "context", "high", "a.py"),
    "strangers": (now(strangers=["web_fetch"]), "security", "medium", "web_fetch"),
    "failing": (now(failing=2, steps=2), "behavioral", "medium", "last 2 steps"),
    "limit": (now(limits={"cost": (8, 10)}), "behavioral", "medium", "80% of"),
    "full": (now(full=0.75), "context", "low", "nearly full"),
    "date": (now(date="2026-01-02"), "context", "low", "2026-01-02"),
    "model": (now(told={"model": "a"}, model="b"), "context", "low", "(a)"),
    "todos open": (now(begins=True, todos=[DONE, DOING, OPEN]), "todo-status", "low", "test it"),
    "todos done": (now(begins=True, todos=[DONE]), "todo-status", "low", "are completed"),
    "no todos": (now(steps=MANY), "todo-status", "low", "no todo list yet"),
}


@pytest.mark.requirement("N14")
@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_is_told_with_its_type_and_priority_and_only_once(cause: str) -> None:
    situation, kind, priority, words = CAUSES[cause]
    reminder = one(situation)
    assert (reminder.type, reminder.priority) == (kind, priority)
    assert words in reminder.text
    assert due(after(situation)) == ()


def test_every_type_has_a_cause() -> None:
    assert {kind for _, kind, _, _ in CAUSES.values()} == set(get_args(Type))


@pytest.mark.parametrize(
    ("before", "changed"),
    [
        (now(mode="plan"), {"mode": "ask"}),
        (now(files={"a": "1"}), {"files": {"a": "2"}}),
        (
            now(instructions=[Instructions("A", "x")]),
            {"instructions": [Instructions("A", "y")]},
        ),
        (now(limits={"cost": (8, 10)}), {"limits": {"cost": (18, 20)}}),
        (now(failing=2, steps=2, keeps_todos=False), {"steps": 7}),
        (now(steps=MANY), {"exchange": "e2"}),
    ],
)
def test_a_cause_that_has_changed_is_told_again(before: Situation, changed: dict[str, Any]) -> None:
    assert due(after(before)) == ()
    assert one(after(before, **changed))


def test_a_todo_list_that_is_left_alone_is_named_again_after_many_steps() -> None:
    told = after(now(begins=True, todos=[DOING]))
    assert due(msgspec.structs.replace(told, begins=False, steps=9, quiet=QUIET - 1)) == ()
    again = msgspec.structs.replace(told, begins=False, steps=10, quiet=QUIET)
    assert one(again).type == "todo-status"
    assert due(after(again, quiet=0, steps=11)) == ()


def test_a_list_that_the_model_has_just_written_is_not_told_back_to_it() -> None:
    assert due(now(todos=[DOING, OPEN], steps=3, quiet=1)) == ()
    assert due(now(todos=[DONE], steps=3)) == ()


def test_an_agent_without_the_tool_hears_nothing_of_todos() -> None:
    assert due(now(begins=True, todos=[DOING], keeps_todos=False)) == ()
    assert due(now(steps=MANY, keeps_todos=False)) == ()


def test_a_streak_of_failures_is_told_once_however_long_it_grows() -> None:
    assert due(now(failing=1, steps=1)) == ()
    told = after(now(failing=2, steps=5))
    assert due(msgspec.structs.replace(told, failing=3, steps=6)) == ()


def test_instructions_that_are_gone_no_longer_count_and_unknown_ones_are_not_missed() -> None:
    told = after(now(instructions=[Instructions("AGENTS.md", "x")]))
    gone = msgspec.structs.replace(told, instructions=[Instructions("AGENTS.md", "")])
    assert "is gone" in one(gone).text
    assert due(now(instructions=[Instructions("", "")])) == ()


def test_the_order_is_fixed_urgent_first() -> None:
    found = due(
        now(
            mode="plan",
            files={"a": "1"},
            strangers=["web_fetch"],
            steps=MANY,
            failing=2,
            full=0.9,
            date="2026-01-02",
        )
    )
    assert [(each.priority, each.type) for each in found] == [
        ("high", "instruction"),
        ("high", "context"),
        ("medium", "security"),
        ("medium", "behavioral"),
        ("low", "context"),
        ("low", "context"),
        ("low", "todo-status"),
    ]


def test_reminders_are_short() -> None:
    for situation, *_ in CAUSES.values():
        assert len(one(situation).text) < 420


def test_many_files_are_counted_rather_than_named() -> None:
    found = one(now(files={f"f{n}": "1" for n in range(25)}))
    assert "and 15 more" in found.text
    assert len(found.told) == 25
