"""`todo_read`: the session's to-do list as it is."""

from typing import Any

from bottega.tools.context import Context
from bottega.tools.tool import Outcome, Tool, success, to_builtins


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    return success({"todos": to_builtins(list(await context.todos()))})


TODO_READ = Tool(
    name="todo_read",
    description="Read the to-do list of this session, as todo_write last left it.",
    schema={"type": "object", "properties": {}, "additionalProperties": False},
    category="PLANNING",
    effects=frozenset({"state"}),
    run=run,
    examples=({},),
)
