"""An agent is data: what it is told, on which model it runs, with which tools and within which limits."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from bottega.agents.limits import Limits
from bottega.approvals.mode import Mode
from bottega.providers.provider import Wishes

Type = Literal["StreamAgent", "IterativeAgent", "ReActAgent"]


class Whereabouts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a remote agent is: at another Bottega's address, under the name that it has there."""

    address: Annotated[str, Meta(min_length=1, max_length=500)]
    agent: Annotated[str, Meta(max_length=200)] = ""
    """Its slug there; empty: the one that is usual there."""
    project: Annotated[str, Meta(max_length=500)] = ""
    """The name, the id or the folder of a project there; empty: one's first."""
    key: Annotated[str, Meta(max_length=100)] = ""
    """The name under which the token is kept; empty: the address's host and port."""
    people: Annotated[tuple[str, ...], Meta(max_length=200)] = ()
    """Who besides the owner of the home may use it, by their names; `everyone`: all of them."""

    @property
    def token_name(self) -> str:
        host = self.address.partition("://")[2].partition("/")[0]
        return self.key or host.rpartition("@")[2]


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
    remote: Whereabouts | None = None
    """Another Bottega answers in its place; None: this one does."""
    reasoning_in_answer: bool = False
    """Put what the model thought in front of its final response, as plain text."""
