"""An answer that must fit a JSON schema: what the model is told, and what is made of its words."""

import json
from typing import Any

import msgspec

from bottega.errors import BadUsage
from bottega.events import facts
from bottega.tools.validate import Validator, joined

_FORM = (
    "Your final answer must be one JSON value and nothing else: no words around it, no code fence. It must fit this"
    " JSON schema:\n{schema}"
)
_AGAIN = (
    "Your answer does not fit the JSON schema: {errors}. Answer again, with the JSON value alone."
)


def checked(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema; refused if it is none."""
    try:
        Validator(schema)({})
    except ValueError as problem:
        raise BadUsage(f"The schema is no valid JSON schema: {problem}.") from problem
    return schema


class Found(msgspec.Struct, frozen=True):
    value: Any = None
    errors: str = ""

    @property
    def remark(self) -> str:
        return _AGAIN.format(errors=self.errors)

    @property
    def error(self) -> facts.ErrorMessage:
        return facts.ErrorMessage(
            f"The model gave no answer that fits the schema: {self.errors}.",
            "invalid_output",
            hint="Try a simpler schema, or another model.",
        )


class Wanted:
    """The schema of one exchange's final response, and how often the model had to mend it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.repairs = 0
        self._validator = Validator(schema)

    @property
    def form(self) -> str:
        """What the model is told, whether or not its provider can be held to a schema."""
        return _FORM.format(schema=json.dumps(self.schema, ensure_ascii=False))

    def read(self, text: str) -> Found:
        try:
            value = json.loads(_bare(text), parse_constant=_refuse)
        except (ValueError, RecursionError) as problem:
            return Found(errors=f"it is no JSON ({problem})")
        errors = self._validator(value)
        return Found(value, joined(errors) if errors else "")


def _bare(text: str) -> str:
    """The text without the one code fence that many models put around JSON."""
    text = text.strip()
    if not text.startswith("```") or not text.endswith("```") or text.count("```") != 2:
        return text
    return text.partition("\n")[2].removesuffix("```")


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
