"""`shell_close`: end an open shell with all that runs in it. Closing it again changes nothing."""

from typing import Any

from bottega.approvals.touch import Touch
from bottega.tools.context import Context
from bottega.tools.printed import note_undone
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.confine import Root


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    shell_id = arguments["session_id"]
    result: dict[str, Any] = {"session_id": shell_id, "closed": True}
    undone = await context.shells.close(context.root.path, context.person, shell_id)
    if undone is None:
        result["note"] = "It was closed before."
    note_undone(result, undone or ())
    return success(result)


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(shell=arguments["session_id"])


SHELL_CLOSE = Tool(
    name="shell_close",
    description="Close a shell that shell_open opened, and end all that runs in it.",
    schema={
        "type": "object",
        "properties": {
            "session_id": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "description": "The session_id that shell_open gave.",
            },
        },
        "required": ["session_id"],
        "additionalProperties": False,
    },
    category="SHELL",
    effects=frozenset({"state"}),
    run=run,
    touch=touch,
    examples=({"session_id": "sh_0198c0de"},),
)
