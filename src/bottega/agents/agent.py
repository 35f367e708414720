"""An agent is data: what it is told, on which model it runs, with which tools and within which limits."""

import os
import time
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from bottega.agents.limits import Limits
from bottega.approvals.mode import Mode
from bottega.providers.provider import Wishes

_MODES: dict[Mode, str] = {
    "plan": """\
You are in plan mode: nothing may be changed, run or fetched, and tools that would do so are blocked. Look around, then
answer with a plan: what you would change, in which files, in which order, and how it can be checked. The person will
accept it, change it or discard it.""",
    "ask": """\
You are in ask mode: you may read freely; the person is asked before a file is changed, a command runs or something is
fetched, and may say no or change what is run. A denied call is not to be tried in another way.""",
    "allow": "You are in allow mode: your calls run without anybody being asked. Be as careful as if you were alone.",
}


Type = Literal["StreamAgent", "IterativeAgent", "ReActAgent"]


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    slug: str = "assistant"
    """The name that settings, sessions and commands know it by."""
    name: str = "Assistant"
    description: str = ""
    prompt: str = ""
    """The system prompt; markers in it, such as `{project_path}`, stand for what the session begins with."""
    type: Type = "IterativeAgent"
    mode: Mode | Literal[""] = ""
    """The most that it may do, whatever the session's mode; empty: all that the session's mode allows."""
    model: str = ""
    """Empty: the session's."""
    tools: tuple[str, ...] | None = None
    """Names of tools; None: all that there are."""
    tool_settings: Mapping[str, Mapping[str, Any]] = {}
    """What some of its tools are configured with, by their names."""
    limits: Limits = Limits()
    wishes: Wishes = Wishes()
    at_once: int = 8
    """How many of its calls run at the same time; 1: one after the other."""
    reasoning_in_answer: bool = False
    """Put what the model thought in front of its final response, as plain text."""

    def system(self, folder: str, mode: Mode = "ask") -> str:
        values = {
            "project_path": folder,
            "project_name": os.path.basename(folder),
            "mode": mode,
            "mode_instructions": _MODES[mode],
            "timestamp": time.strftime("%Y-%m-%d"),
            "git_branch": "not known",
        }
        text = self.prompt.strip()
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text if "{mode_instructions}" in self.prompt else f"{text}\n\n{_MODES[mode]}".strip()
