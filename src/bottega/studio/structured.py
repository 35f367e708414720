"""An answer in a shape of the caller's own: awaiting it gives a value that fits, or raises why there is none."""

from collections.abc import Generator
from typing import Any, cast

import msgspec

from bottega.errors import BadUsage, Problem
from bottega.events import facts
from bottega.studio.answer import Answer

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
    except TypeError as error:
        raise BadUsage(f"{shape!r} has no JSON schema: {error}") from error
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


class Structured(Answer):
    """One exchange whose final response is a value: await it for that; `response` tells the rest."""

    shape: Shape
    response: facts.ExchangeResponse | None = None

    def __await__(self) -> Generator[Any, None, Any]:
        return self._value().__await__()

    async def _value(self) -> Any:
        self.response = end = await self._end()
        if not end.success:
            raise NoOutput(
                f"There is no answer that fits the schema: the exchange ended with {end.completion_reason!r}.",
                hint="Its session tells more.",
            )
        if isinstance(self.shape, dict):
            return end.output
        if hasattr(self.shape, "model_validate"):
            return cast("Any", self.shape).model_validate(end.output)
        return msgspec.convert(end.output, self.shape)
