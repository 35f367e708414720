"""Settings, rules and instructions as they go over the wire."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bottega.studio.setup.plain import is_text

Source = Literal["flag", "environment", "user file", "project file", "default"]


def _plain(text: str) -> str:
    if not is_text(text):
        raise ValueError("holds characters that are no text")
    return text


Pattern = Annotated[str, Field(max_length=2000), AfterValidator(_plain)]


class Setting(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    value: Any = Field(description="As it may be shown: no secret is.")
    source: Source = Field(
        description="Who has the last word. A flag or a variable wins over the file."
    )
    about: str
    takes: str = Field(description="What it may be, in words.")
    default: Any
    at_start: bool = Field(description="A change counts only after the server was started anew.")


class SettingsPage(BaseModel):
    settings: list[Setting]
    file: str = Field(description="The config file that a change is written to.")
    problem: str = Field(
        "", description="Why that file as it is now does not count, if it does not."
    )


class Rule(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdict: Literal["allow", "ask", "deny"]
    tool: Pattern = Field(
        "", description="A tool's name, `*` standing for any part; empty: every tool."
    )
    path: Pattern = ""
    command: Pattern = ""
    url: Pattern = ""
    network: bool = Field(False, description="About calls that ask for the network.")
    folder: Pattern = Field(
        "", description="Of an allowed command: where it may run; empty: in the workspace itself."
    )


class WrittenRules(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rules: list[Rule] = Field(max_length=1000)


class Rules(BaseModel):
    rules: list[Rule]
    source: Source


class Words(BaseModel):
    model_config = ConfigDict(extra="forbid")

    instructions: Annotated[str, Field(max_length=100_000), AfterValidator(_plain)]


class Instructions(BaseModel):
    instructions: str
    source: Source = Field(description="Where they come from; a variable wins over the file.")
