"""The to-do list, as it is now."""

from collections.abc import Iterable

from bottega.cli.screen.clean import one_line
from bottega.cli.screen.tools import Part
from bottega.events.facts import TodoItem

_SIGNS: dict[str, tuple[Part, str]] = {
    "completed": (("✓", "tool.done"), "dim strike"),
    "in_progress": (("▸", "accent"), "bold"),
    "pending": (("○", "dim"), ""),
}


def drawn(todos: Iterable[TodoItem]) -> list[list[Part]]:
    """One line each, in the order that the agent gave them."""
    lines: list[list[Part]] = []
    for todo in todos:
        sign, style = _SIGNS.get(todo.status, _SIGNS["pending"])
        urgent: list[Part] = [(" !", "accent")] if _is_urgent(todo) else []
        lines.append([("  ", ""), sign, (" ", ""), (one_line(todo.content), style), *urgent])
    return lines


def _is_urgent(todo: TodoItem) -> bool:
    return todo.priority == "high" and todo.status != "completed"
