"""Agents as they go over the wire. Where the host's files lie is told to the host alone."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, Field, model_validator

from bottega.agents.shelf import LARGEST, Shelved
from bottega.approvals.mode import Mode
from bottega.runtime import Runtime
from bottega.server.shapes.open_body import OpenBody
from bottega.sessions.session import HOST
from bottega.studio.setup import agents


class Agent(BaseModel):
    """An agent in a list."""

    slug: str = Field(description="The name that it is chosen by.")
    origin: Literal["program", "own", "house"]
    name: str = ""
    description: str = Field("", description="What it is good for, in a sentence.")
    type: Literal["StreamAgent", "IterativeAgent", "ReActAgent"] | None = None
    mode: str = Field(
        "", description="The most that it may do; empty: all that the session's mode allows."
    )
    model: str = Field("", description="The model that it runs on; empty: the session's.")
    tools: list[str] | None = Field(None, description="Its only tools; null: all that there are.")
    configured: list[str] = Field(
        default=[], description="Tools that it has settings of its own for."
    )
    at_once: int = Field(8, description="How many of its calls run at the same time.")
    limits: dict[str, float | None] = Field(
        default={}, description="How far one exchange may go; null: no limit. Cost is in micro-USD."
    )
    wishes: dict[str, Any] = Field(default={}, description="How the model should answer.")
    remote: str = Field(
        "", description="The address of the Bottega that answers in its place; empty: this one."
    )
    is_default: bool = Field(False, description="New sessions have this one.")
    problems: list[str] = Field(default=[], description="Why it cannot be used, one sentence each.")


class AgentPage(Agent):
    system_prompt: str = ""
    text: str = Field(
        "", description="The agent as TOML, as it stands in its file; for the host alone."
    )
    path: str = Field("", description="Where that file is; for the host alone.")


class Agents(BaseModel):
    agents: list[Agent]
    mode: Mode = Field(description="The mode of sessions for which none was chosen.")


class WrittenAgent(OpenBody):
    """An agent as TOML, or as a table; one of the two."""

    text: Annotated[str, Field(max_length=LARGEST)] | None = None
    spec: dict[str, Any] | None = Field(None, description="The fields of its file.", max_length=50)

    @model_validator(mode="after")
    def _one_of_them(self) -> "WrittenAgent":
        if (self.text is None) == (self.spec is None):
            raise ValueError("give either text or spec")
        return self

    @property
    def source(self) -> str | Mapping[str, Any]:
        return self.text if self.text is not None else self.spec or {}


class DraftAgent(WrittenAgent):
    slug: str = Field("", max_length=64, description="The slug that it is to have.")


class Judgement(BaseModel):
    usable: bool
    problems: list[str]
    notes: list[str] = Field(
        description="What keeps it from being used now, such as a missing key."
    )


def agent(runtime: Runtime, each: Shelved, person: int) -> Agent:
    return Agent.model_validate(_fields(runtime, each, person))


def page(runtime: Runtime, each: Shelved, person: int) -> AgentPage:
    fields = _fields(runtime, each, person)
    if each.spec:
        fields["system_prompt"] = each.spec.system_prompt
    if person == HOST:
        fields |= {"text": agents.text_of(each), "path": each.path}
    return AgentPage.model_validate(fields)


def _fields(runtime: Runtime, each: Shelved, person: int) -> dict[str, Any]:
    spec = each.spec
    told: dict[str, Any] = {
        "slug": each.slug,
        "origin": each.origin,
        "problems": list(each.problems),
        "is_default": each.slug == runtime.settings.values.agent,
    }
    if spec is None:
        return told
    return told | {
        "name": spec.name,
        "description": spec.description,
        "type": spec.type,
        "mode": spec.mode,
        "model": agents.model_of(runtime, spec),
        "tools": None if spec.tools is None else runtime.sharing.tools(spec.tools, person),
        "configured": runtime.sharing.tools(spec.tool_configs, person),
        "at_once": spec.at_once,
        "limits": msgspec.to_builtins(spec.limits),
        "wishes": msgspec.to_builtins(spec.wishes),
        "remote": spec.remote.address if spec.remote else "",
    }
