"""`delegate`: a task for another agent, in a session of its own."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bottega.approvals.touch import NOTHING, Touch
from bottega.tools.context import Context
from bottega.tools.tool import Outcome, Tool, failure, success
from bottega.workspaces.confine import Root


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    ended = await context.spawn(arguments["agent"], arguments["task"])
    if ended["success"]:
        return success(ended)
    why = _WHY.get(ended["completion_reason"], ended["completion_reason"])
    reason = f"The agent {arguments['agent']!r} did not finish: {why}."
    return failure(reason, "CHILD_FAILED", ended)


_WHY = {
    "user_stopped": "a person stopped it",
    "resource_limit_exceeded": "it came to a limit",
    "interrupted": "the program that ran it ended",
    "error": "it failed",
}


DELEGATE = Tool(
    name="delegate",
    description=(
        "Hand a task to another agent, which works on it in a session of its own, in the same folder and mode, and "
        "wait for its answer. It knows nothing of this conversation: say all that it needs. Several tasks that do not "
        "depend on each other may be handed out at once."
    ),
    schema={
        "type": "object",
        "properties": {
            "agent": {"type": "string", "minLength": 1, "description": "Which agent."},
            "task": {
                "type": "string",
                "minLength": 1,
                "description": "What it should do, with all that it has to know, and what it should answer.",
            },
        },
        "required": ["agent", "task"],
        "additionalProperties": False,
    },
    category="PLANNING",
    # What its agent does is judged call by call; handing it out does nothing by itself, where the agent is here.
    effects=frozenset({"read"}),
    waits=True,
    run=run,
    examples=({"agent": "reviewer", "task": "Look for mistakes in src/parse.py and list them."},),
)


class Other(msgspec.Struct, frozen=True):
    """An agent that a task may be handed to."""

    about: str = ""
    address: str = ""
    """Of another Bottega that it is at; empty: it is here."""


def to_these(tool: Tool, agents: Mapping[str, Other]) -> Tool:
    """The tool with the agents that there are. Handing a task to one elsewhere sends it over the network to there."""
    listed = "\n".join(
        f"- {slug}: {each.about}" if each.about else f"- {slug}" for slug, each in agents.items()
    )

    def touch(arguments: dict[str, Any], _: Root) -> Touch:
        address = agents[arguments["agent"]].address
        return Touch(url=address, network=True) if address else NOTHING

    properties = dict(tool.schema["properties"])
    properties["agent"] = {
        **properties["agent"],
        "enum": list(agents),
        "description": f"One of:\n{listed}",
    }
    schema = {**tool.schema, "properties": properties}
    return msgspec.structs.replace(tool, schema=schema, touch=touch)
