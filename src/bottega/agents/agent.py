"""An agent is data: what it is told, on which model it runs, with which tools and within which limits."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bottega.agents.limits import Limits
from bottega.providers.provider import Wishes

_PROMPT = """\
You are an assistant at work in Bottega, a workshop where people and agents work on real projects.

You work in the folder {folder}. Paths that you give to tools are relative to it.
Use a tool when the answer depends on what is in the folder; look before you claim. Several reads that do not depend on
each other may be asked for at once. Answer in Markdown, briefly, in the language of the person you talk to. Say
plainly what you did not find or could not do."""


class Agent(msgspec.Struct, frozen=True):
    name: str = "assistant"
    prompt: str = _PROMPT
    """The system prompt; `{folder}` stands for the workspace."""
    model: str = ""
    """Empty: the session's."""
    tools: tuple[str, ...] | None = None
    """Names of tools; None: all that there are."""
    tool_settings: Mapping[str, Mapping[str, Any]] = {}
    """What some of its tools are configured with, by their names."""
    limits: Limits = Limits()
    wishes: Wishes = Wishes()
    reasoning_in_answer: bool = False
    """Put what the model thought in front of its final response, as plain text."""

    def system(self, folder: str) -> str:
        return self.prompt.replace("{folder}", folder)


BUILT_IN = {"assistant": Agent()}
