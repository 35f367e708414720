"""`shell_open`: a shell, or another program that is talked to, in a terminal that stays."""

from typing import Any

from bottega.approvals.touch import Touch
from bottega.tools.context import Context
from bottega.tools.printed import kept, printed
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.sandbox import Size

_DEFAULT = Size()


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    size = Size(arguments.get("rows", _DEFAULT.rows), arguments.get("columns", _DEFAULT.columns))
    network = arguments.get("network", False)
    opened = await context.shells.open(
        context.root,
        context.session_id,
        arguments.get("command", ""),
        size=size,
        network=network,
        person=context.person,
    )
    shell = opened.shell
    result: dict[str, Any] = {"session_id": shell.id, "command": opened.command}
    if not shell.speaks:
        result |= printed({"output": opened.greeting.output}, {"output": kept(shell.id)})
        result["note"] = (
            "It is no shell: shell_exec types a line and gives what comes; there are no exit codes."
        )
    return success(result)


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(command=arguments.get("command", ""), network=arguments.get("network", False))


SHELL_OPEN = Tool(
    name="shell_open",
    description=(
        "Open a shell in a terminal of its own, in the workspace. It keeps its folder, variables and functions between "
        "commands (shell_exec), until shell_close, 30 minutes without use, or 8 hours. Other programs that are talked "
        "to, such as `python3 -q` or `psql`, can be opened instead of a shell."
    ),
    schema={
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "maxLength": 10_000,
                "description": "The program; bash if left out, or /bin/sh where there is none.",
            },
            "rows": {"type": "integer", "minimum": 1, "maximum": 1000},
            "columns": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "description": "The terminal's width; 80 if left out.",
            },
            "network": {
                "type": "boolean",
                "description": "What runs in it needs the network. Ask only where it does.",
            },
        },
        "additionalProperties": False,
    },
    category="SHELL",
    effects=frozenset({"execute"}),
    run=run,
    touch=touch,
    examples=({}, {"command": "/bin/sh"}, {"command": "python3 -q", "columns": 120}),
)
