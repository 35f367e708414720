"""What may stand in a field: bounded, and nothing in it that could not be stored or shown."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import AfterValidator, Field, StringConstraints


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("a NUL character cannot be stored")
    return text


def _encodable(value: dict[str, Any]) -> dict[str, Any]:
    try:
        encoded = msgspec.json.encode(value)
    except (ValueError, OverflowError, RecursionError, TypeError) as error:
        raise ValueError("it holds what cannot be stored") from error
    if len(encoded) > LONGEST_OBJECT:
        raise ValueError(f"it is longer than {LONGEST_OBJECT} bytes")
    return value


LONGEST = 1_000_000
"""Characters of one text."""
LONGEST_OBJECT = 4_000_000
LAST = 2**53 - 1
"""The largest number that every client can count to."""

_ONE_LINE = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$"
"""Without line ends, signs that command a terminal and those that turn letters around: names stand in lists."""

_storing = AfterValidator(_storable)
Name = Annotated[str, Field(max_length=200, pattern=_ONE_LINE)]
Path = Annotated[str, Field(max_length=4_000), _storing]
Words = Annotated[str, Field(max_length=LONGEST), _storing]
Index = Annotated[int, Field(ge=0, le=LAST)]
Object = Annotated[dict[str, Any], AfterValidator(_encodable)]
UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
MessageId = Annotated[
    str,
    StringConstraints(pattern=UUID, to_lower=True),
    Field(description="A UUID that the client makes; it names the prompt and its exchange."),
]

Mode = Literal["plan", "ask", "allow"]
