"""What was used and what is held: tokens, money, room in the model's window, things to do."""

from pydantic import BaseModel, Field

from bottega.sessions.spent import Used


class UsedShape(BaseModel):
    model: str = Field(description="The model that was asked; empty: it was not written down yet.")
    calls: int = Field(description="Calls of the model.")
    tokens: int
    cost: int = Field(description="Micro-USD, as far as prices are known.")

    @classmethod
    def of(cls, model: str, used: Used) -> "UsedShape":
        return cls(model=model, calls=used.iterations, tokens=used.tokens, cost=used.cost)


class SessionUsage(BaseModel):
    """Of a session and all its children together."""

    models: list[UsedShape]
    calls: int
    tokens: int
    cost: int


class DayShape(UsedShape):
    at: int = Field(description="When the day began, in milliseconds UTC.")


class WindowShape(BaseModel):
    """What all your exchanges of some time may cost together, and did."""

    hours: float = Field(description="How far back it looks.")
    cost: int = Field(description="Micro-USD, as far as prices are known.")
    limit: int | None = Field(description="Micro-USD that it may cost; null: there is no limit.")


class UsageByDay(BaseModel):
    days: list[DayShape] = Field(description="The newest first, each model of a day by itself.")
    window: WindowShape


class ContextShape(BaseModel):
    """How full the model's window is."""

    model: str
    window: int = Field(description="Tokens that the model takes.")
    assumed: bool = Field(description="Nobody says how large the window is.")
    tokens: int = Field(description="Of the next request, before anything new is said.")
    counted: bool = Field(description="The provider counted most of it; else it is a guess.")
    percent: float
    parts: dict[str, int]
    compact_at: int = Field(description="Percent at which it is compacted by itself; 0: never.")


class TodoShape(BaseModel):
    content: str
    status: str
    priority: str


class TodoList(BaseModel):
    todos: list[TodoShape]


class HitShape(BaseModel):
    session_id: str
    title: str
    index: int
    at: int
    snippet: str = Field(
        description="The words around the first match, each match between « and »."
    )
    child_of: str = Field(description="The id of the session that handed it its task, if one did.")


class HitList(BaseModel):
    hits: list[HitShape] = Field(description="The newest first.")
