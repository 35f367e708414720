"""Events on their way out: each body as it is stored, under its index."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from bottega.sessions.feed import Row

STORED = {"$ref": "#/components/schemas/StoredEvent"}

EventRow = Annotated[
    list[int | dict[str, object]],
    WithJsonSchema(
        {
            "type": "array",
            "prefixItems": [{"type": "integer", "minimum": 1}, STORED],
            "minItems": 2,
            "maxItems": 2,
            "description": "An index, and the event under it.",
        }
    ),
]
Range = Annotated[list[int], Field(min_length=2, max_length=2)]


class TailShape(BaseModel):
    """The last facts, oldest first; of an answer that is being written also its pieces so far."""

    events: list[EventRow]
    cursor: int = Field(description="Follow from here: all that came before is told.")
    more: bool = Field(description="There are older ones: ask for those before the first index.")


class EventPage(BaseModel):
    events: list[EventRow]
    trimmed: list[Range] = Field(
        description="First and last index of pieces that are no longer kept: their whole is there."
    )
    last_index: int = Field(description="Of the session; there are more events while it is larger.")


class EventStream(BaseModel):
    """Each of the server-sent events that such an answer consists of."""

    id: str = Field("", description="Its index: the last one, given back, is where to go on.")
    data: str = Field(description="Its body, as JSON in one line.")


def listed(rows: Iterable[Row]) -> bytes:
    """Rows as JSON, their bodies untouched."""
    return b"[%b]" % b",".join(b"[%d,%b]" % row for row in rows)
