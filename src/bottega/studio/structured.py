"""An answer in a shape of the caller's own: awaiting it gives a value that fits, or raises why there is none."""

from collections.abc import Generator
from typing import Any, cast

import msgspec

from bottega.errors import BadUsage, Problem
from bottega.events import facts
from bottega.events.event import Event
from bottega.studio.answer import Answer
from bottega.studio.answering import Answering

Shape = dict[str, Any] | type[Any]
"""A JSON schema; or a type: a msgspec struct, a dataclass, a TypedDict, a pydantic model."""


class NoOutput(Problem):
    """The exchange ended without an answer that fits."""

    code = "invalid_output"


def schema_of(shape: Shape) -> dict[str, Any]:
    """The JSON schema of a shape; refuses what has none."""
    if isinstance(shape, dict):
        return shape
    if hasattr(shape, "model_json_schema"):
        return cast("dict[str, Any]", shape.model_json_schema())
    try:
        schema = msgspec.json.schema(shape)
    except (TypeError, RecursionError) as error:
        raise BadUsage(
            f"{shape!r} has no JSON schema.",
            hint="Give one as a dict, or a msgspec struct, a dataclass, a TypedDict or a pydantic model.",
        ) from error
    return _opened(schema)


def _opened(schema: dict[str, Any]) -> dict[str, Any]:
    """With the type itself at the top, where providers look for it."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    parts = dict(schema.get("$defs", {}))
    if name not in parts:
        return schema
    top = parts.pop(name)
    inner = f'"#/$defs/{name}"' in msgspec.json.encode([top, parts]).decode()
    return schema if inner else {**top, **({"$defs": parts} if parts else {})}


class Shaped(Answering):
    """One exchange whose final response is a value: await it for that; `response` tells the rest."""

    shape: Shape
    response: facts.ExchangeResponse | None = None
    _why: str = ""

    def __await__(self) -> Generator[Any, None, Any]:
        return self._value().__await__()

    async def _value(self) -> Any:
        self.response = end = await self._end()
        if not end.success:
            told = self._why or "There is no answer that fits the schema."
            raise NoOutput(
                f"{told} The exchange ended with {end.completion_reason!r} after {end.repairs} repairs.",
                hint="Its session tells more; `response` of the answer has its end.",
            )
        if isinstance(self.shape, dict):
            return end.output
        try:
            if hasattr(self.shape, "model_validate"):
                return cast("Any", self.shape).model_validate(end.output)
            return msgspec.convert(end.output, self.shape)
        except ValueError as error:  # a type may want more than its schema says
            raise NoOutput(
                f"The answer fits the schema of {self.shape!r}, but not the type: {error}",
                hint="`response` of the answer has what came.",
            ) from error

    async def _tell(self, event: Event) -> None:
        if isinstance(event.data, facts.ErrorMessage):
            self._why = event.data.message
        await super()._tell(event)


class Structured(Shaped, Answer):
    """Such an exchange in this home."""
