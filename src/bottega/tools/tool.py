"""A tool: what a model is told of it (A17), what it does to the world, and how it is run.

An `Outcome` is the one shape in which every call ends (A18), whatever happened.
"""

import os
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any, Literal, cast

import msgspec

from bottega.messages.block import Audio, Document, Image, Text
from bottega.providers.provider import ToolSpec
from bottega.tools.context import Context
from bottega.tools.validate import Validator

Category = Literal["FILE_OPS", "SHELL", "PROJECT", "BUILD", "WEB", "PLANNING"]
Effect = Literal["read", "write", "execute", "network", "state"]


class Fault(msgspec.Struct, frozen=True):
    message: str
    code: str = ""


class Outcome(msgspec.Struct, frozen=True):
    status: Literal["success", "error"]
    result: Any = None
    error: Fault | None = None
    media: tuple[Image | Audio | Document, ...] = ()
    """What a model may look at; it stands beside the text."""
    kept: str = ""
    """Where the whole of a long result is, as a sentence."""

    def to_text(self) -> str:
        """What the model reads: JSON of `status` and either `result` or `error`."""
        said: dict[str, Any] = {"status": self.status}
        if self.error is not None:
            said["error"] = self.error
        else:
            said["result"] = self.result
        return to_json(said)

    def to_content(self) -> tuple[Text | Image | Audio | Document, ...]:
        return (Text(self.to_text()), *self.media)


def success(
    result: Any, media: tuple[Image | Audio | Document, ...] = (), kept: str = ""
) -> Outcome:
    return Outcome("success", result=result, media=media, kept=kept)


def failure(message: str, code: str) -> Outcome:
    return Outcome("error", error=Fault(message, code))


class Tool(msgspec.Struct, frozen=True, eq=False, kw_only=True, dict=True):
    name: str
    description: str
    schema: dict[str, Any]
    """A JSON schema of type object."""
    category: Category
    effects: frozenset[Effect]
    run: Callable[[dict[str, Any], Context], Awaitable[Outcome]]
    """Takes valid arguments only. May raise: `call` turns that into an outcome."""
    examples: tuple[dict[str, Any], ...] = ()
    """Arguments of calls that make sense."""

    @cached_property
    def validator(self) -> Validator:
        return Validator(self.schema)

    @property
    def only_reads(self) -> bool:
        """After a crash it may run again."""
        return self.effects <= {"read"}

    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, self.schema)


def to_builtins(value: Any) -> Any:
    """The value as JSON knows it; raises TypeError for what has no such form."""
    return msgspec.to_builtins(value, str_keys=True, enc_hook=_path)


def to_json(value: Any) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=_path).decode()
    except UnicodeEncodeError:  # a file's name may be no valid text
        import json

        return json.dumps(to_builtins(value))


def _path(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fsdecode(cast("os.PathLike[str]", value))
    raise TypeError(f"A value of type {type(value).__name__!r} cannot be written as JSON.")
