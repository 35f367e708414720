"""An answer that must fit a JSON schema: what the model is told, and what is made of its words.

The value that is found can always be stored: no number without a size, no half characters, no endless nesting.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from bottega.agents.agent import Agent
from bottega.errors import BadUsage
from bottega.events import facts
from bottega.messages.aside import is_only_asides
from bottega.messages.block import Text
from bottega.messages.json_size import MOST_MESSAGE, Crowded, check_size
from bottega.messages.message import Message
from bottega.tools.schemas.cost import DEEPEST, depth_of
from bottega.tools.validate import Validator, accepted, joined

_FORM = (
    "The final answer to this must be one JSON value and nothing else: no words around it, no code fence. It must fit"
    " this JSON schema:\n{schema}"
)
_UNFIT = "Your answer does not fit the JSON schema: "
_AGAIN = _UNFIT + "{errors}. Answer again, with the JSON value alone."


def checked(schema: dict[str, Any], agent: Agent) -> dict[str, Any]:
    """The schema; refused if it is none, or if answers of this agent are no values."""
    if agent.type == "StreamAgent":
        raise BadUsage(
            f"The agent {agent.slug!r} writes files in a single pass: its answer fits no schema.",
            hint="Choose another agent for this prompt.",
        )
    try:
        json.dumps(schema, allow_nan=False)
        accepted(schema)
    except (ValueError, TypeError, RecursionError) as problem:
        raise BadUsage(
            f"The schema is no valid JSON schema: {problem}.",
            hint="Give a smaller or simpler one.",
        ) from problem
    return schema


class Found(msgspec.Struct, frozen=True):
    value: Any = None
    errors: str = ""
    is_json: bool = True

    @property
    def remark(self) -> str:
        return _AGAIN.format(errors=self.errors)

    @property
    def written(self) -> str:
        """The value alone, as JSON in one line; what no screen should be sent is escaped."""
        text = msgspec.json.encode(self.value).decode()
        if text.isprintable():
            return text
        return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)

    @property
    def error(self) -> facts.ErrorMessage:
        return facts.ErrorMessage(
            f"The model gave no answer that fits the schema: {self.errors}.",
            "invalid_output",
            hint="Try a simpler schema, or another model.",
        )


class Wanted:
    """The schema of one exchange's final response, and how often the model had to mend it."""

    def __init__(self, schema: dict[str, Any], history: Sequence[Message] = ()) -> None:
        """`history` tells what the model was told before a restart."""
        self.schema = schema
        self.repairs = sum(text.startswith(_UNFIT) for text in _asides(history))
        self._validator = Validator(schema, whole="the answer")
        self._last: tuple[str, Found] | None = None

    @property
    def form(self) -> str:
        """What the model is told, whether or not its provider can be held to a schema."""
        return _FORM.format(schema=json.dumps(self.schema, ensure_ascii=False))

    def was_told(self, history: Sequence[Message]) -> bool:
        """Whether the model knows the form, since the user's last words: from before a restart, or an earlier step."""
        return self.form in _asides(history)

    def read(self, text: str) -> Found:
        """The value in this text; what was read last is not read again."""
        if self._last is None or self._last[0] != text:
            self._last = text, self._read(text)
        return self._last[1]

    def _read(self, text: str) -> Found:
        try:
            check_size(text, MOST_MESSAGE)
            value = msgspec.json.decode(_bare(text))
        except Crowded as crowded:
            return Found(errors=f"it is {crowded}")
        except (ValueError, RecursionError) as problem:
            return Found(errors=f"it is no JSON ({problem})", is_json=False)
        if depth_of(value) > DEEPEST:
            return Found(errors=f"it is nested more than {DEEPEST} levels deep")
        try:
            errors = self._validator(value)
        except ValueError as problem:  # a schema that was stored before there were bounds
            return Found(errors=f"its schema cannot be used: {problem}")
        return Found(value, joined(errors) if errors else "")


def _asides(history: Sequence[Message]) -> Iterable[str]:
    """What the model was told since the user last said something, the newest first."""
    for message in reversed(history):
        for block in message.content:
            if isinstance(block, Text) and block.aside:
                yield block.text
        if message.role == "user" and not is_only_asides(message):
            return


def _bare(text: str) -> str:
    """The text without the one code fence that many models put around JSON."""
    text = text.strip()
    if not text.startswith("```") or not text.endswith("```") or text.count("```") != 2:
        return text
    return text.partition("\n")[2].removesuffix("```")
