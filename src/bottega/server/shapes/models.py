"""Models, and who offers them, as they go over the wire."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _FromStruct(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Offered(_FromStruct):
    name: str = Field(description="As it is chosen: provider/model.")
    context_window: int | None = Field(description="Tokens that it takes; null: nobody says.")
    input_price: float | None = Field(description="US dollars for a million tokens; null: unknown.")
    output_price: float | None
    abilities: list[str]


class Provider(_FromStruct):
    provider: str
    models: list[Offered]
    problem: str = Field(
        description="Why it could not be asked; then these are what is known of it."
    )


class Chosen(BaseModel):
    model: str
    why: str


class Models(BaseModel):
    default: Chosen = Field(description="What new sessions use.")
    providers: list[Provider]


class Variable(_FromStruct):
    name: str = Field(description="An environment variable that is set; what it holds is not told.")
    provider: str


class LocalServer(_FromStruct):
    name: str = Field(description="The prefix of its models.")
    title: str
    address: str
    state: Literal["answers", "needs a key", "something else is there", "not there"]
    models: list[str]
    use: str = Field(description="What to do next.")


class Discovered(_FromStruct):
    variables: list[Variable]
    servers: list[LocalServer]
