"""Keys as they go over the wire: a key goes in, and never out."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from bottega.server.shapes.setup.models import Offered


class Key(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    variable: str = Field(description="The variable that holds it, and wins; empty: none does.")
    masked: str = Field(
        description="Of one that is kept: enough to tell two apart, too little to use."
    )
    at: int = Field(description="When it was kept, in milliseconds UTC; 0: it is not.")
    destination: str = Field(
        description="Of one that is kept: the only place that it is sent to; empty: it is not kept."
    )


class Keys(BaseModel):
    keys: list[Key]


class GivenKey(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: SecretStr = Field(min_length=1, max_length=10_000)


class TriedKey(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=10_000,
        description="This one is tried, and not kept; left out: the one that is.",
    )


class PastedKey(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: SecretStr = Field(min_length=1, max_length=10_000)


class Whose(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    fits: list[str] = Field(description="Providers whose keys look like that, the likeliest first.")
    others: list[str] = Field(description="All others that take a key.")


class Tested(BaseModel):
    takes: bool
    models: int = Field(default=0, description="How many models it offers to this key.")
    suggested: Offered | None = Field(
        default=None, description="The model to begin with, and its price."
    )
    code: str = Field(
        default="", description="Of a problem: bad_key, unreachable, timeout and others."
    )
    problem: str = ""
    hint: str = ""
