"""`todo_write`: the session's to-do list, replaced whole."""

from collections import Counter
from typing import Any

import msgspec

from bottega.tools.context import Context, Todo
from bottega.tools.tool import Outcome, Tool, success


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    todos = tuple(msgspec.convert(each, Todo) for each in arguments["todos"])
    await context.set_todos(todos)
    counted = Counter(todo.status for todo in todos)
    result: dict[str, Any] = {"todos": len(todos), **counted}
    if counted["in_progress"] > 1:
        result["note"] = "More than one is in progress; one at a time is easier to follow."
    return success(result)


TODO_WRITE = Tool(
    name="todo_write",
    description=(
        "Write the to-do list of this session; it replaces the one before, so give every item. "
        "Keep it for work of several steps: mark one item in_progress while you work on it, "
        "and completed as soon as it is done."
    ),
    schema={
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "maxItems": 200,
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "minLength": 1, "maxLength": 1000},
                        "status": {
                            "type": "string",
                            "enum": ["pending", "in_progress", "completed"],
                        },
                        "priority": {"type": "string", "enum": ["high", "medium", "low"]},
                    },
                    "required": ["content"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["todos"],
        "additionalProperties": False,
    },
    category="PLANNING",
    effects=frozenset({"state"}),
    run=run,
    examples=(
        {
            "todos": [
                {"content": "Read the parser", "status": "completed", "priority": "high"},
                {"content": "Write a failing test", "status": "in_progress", "priority": "high"},
                {"content": "Mend the parser", "status": "pending", "priority": "medium"},
            ]
        },
    ),
)
