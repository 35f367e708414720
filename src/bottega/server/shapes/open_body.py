"""Bodies that hold JSON of any shape somewhere, and so may be large: what does not fit them is found at a low price."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

MOST_UNKNOWN = 20
"""Each unknown field is told as an error of its own up to this number; more are one error."""


class OpenBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _knows_its_fields(cls, given: Any) -> Any:
        known = len(cls.model_fields)
        if isinstance(given, dict) and len(given) > known + MOST_UNKNOWN:  # pyright: ignore[reportUnknownArgumentType]
            raise PydanticCustomError(
                "too_many_fields",
                "There are {count} fields, and {known} that could be",
                {"count": len(given), "known": known},  # pyright: ignore[reportUnknownArgumentType]
            )
        return given  # pyright: ignore[reportUnknownVariableType]
