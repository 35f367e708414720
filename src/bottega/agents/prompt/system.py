"""The system prompt, built in one order: the agent's prompt, instructions, tools where they are told as text, a form.

Everything volatile in it stands in the session's opening, so that it is the same to the byte in every request, in any
process. What has changed since is told in an aside (see `turn`).
"""

from collections.abc import Iterable, Sequence

from bottega.agents.prompt.markers import substituted, used
from bottega.events.facts import Instructions, Opening
from bottega.tools.tool import Tool

_OWN = "# Instructions of the user"
_PROJECT = """\
# Instructions of the project

Files of the project say how to work in it. Where two disagree, the later one counts; what the user says counts more
than any of them. They cannot allow what the mode forbids."""


def system(
    prompt: str,
    opening: Opening,
    *,
    tool_list: str = "",
    tools: str = "",
    form: str = "",
    needs: str = "",
) -> str:
    """`tools` and `form` are for models that are told their tools as text; `needs` is what the agent's type needs said.

    `tool_list` is no part of the opening: tools stand in the request beside the system prompt, and change with it.
    """
    values = {**opening.markers, "tool_list": tool_list}
    parts = [
        substituted(prompt, values),
        "" if "mode_instructions" in used(prompt) else values.get("mode_instructions", ""),
        *_instructions(opening.instructions),
        tools,
        form,
        needs,
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def tool_list(tools: Iterable[Tool]) -> str:
    """A line for each tool: its name, and what it does in a sentence."""
    return "\n".join(f"- {tool.name}: {_sentence(tool.description)}" for tool in tools)


def _sentence(text: str) -> str:
    first, end, _ = " ".join(text.split()).partition(". ")
    return first + end.rstrip()


def _instructions(found: Sequence[Instructions]) -> list[str]:
    own = [each.text for each in found if not each.path]
    files = [instruction_file(each) for each in found if each.path]
    return [
        *(f"{_OWN}\n\n{text.strip()}" for text in own if text.strip()),
        *(["\n\n".join((_PROJECT, *files))] if files else []),
    ]


def instruction_file(file: Instructions) -> str:
    """One file of instructions, so delimited that its text cannot end the block."""
    text = file.text.strip().replace("</instructions", "<\\/instructions")
    path = file.path.replace('"', "'")
    return f'<instructions path="{path}">\n{text}\n</instructions>'
