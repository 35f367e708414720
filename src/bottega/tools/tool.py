"""A tool: what a model is told of it (A17), what it does to the world, and how it is run.

An `Outcome` is the one shape in which every call ends (A18), whatever happened.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Literal, cast

import msgspec

from bottega.approvals.touch import NOTHING, Touch
from bottega.messages.block import Audio, Document, Image, Text
from bottega.providers.provider import ToolSpec
from bottega.tools.context import Context
from bottega.tools.validate import Validator
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change

Category = Literal["FILE_OPS", "SHELL", "PROJECT", "BUILD", "WEB", "PLANNING"]
Effect = Literal["read", "write", "execute", "network", "state"]
Arguments = dict[str, Any]
_OURS: frozenset[Effect] = frozenset({"read", "state"})


class Fault(msgspec.Struct, frozen=True):
    message: str
    code: str = ""


class Outcome(msgspec.Struct, frozen=True):
    status: Literal["success", "error"]
    result: Any = None
    """With an error: what there is all the same, such as the output of a command that had to be ended."""
    error: Fault | None = None
    media: tuple[Image | Audio | Document, ...] = ()
    """What a model may look at; it stands beside the text."""
    kept: str = ""
    """Where the whole of a long result is, as a sentence."""

    def to_text(self) -> str:
        """What the model reads: JSON of `status`, `error` if there is one, and `result`."""
        said: dict[str, Any] = {"status": self.status}
        if self.error is not None:
            said["error"] = self.error
        if self.error is None or self.result is not None:
            said["result"] = self.result
        return to_json(said)

    def to_content(self) -> tuple[Text | Image | Audio | Document, ...]:
        return (Text(self.to_text()), *self.media)


def success(
    result: Any, media: tuple[Image | Audio | Document, ...] = (), kept: str = ""
) -> Outcome:
    return Outcome("success", result=result, media=media, kept=kept)


def failure(message: str, code: str, result: Any = None) -> Outcome:
    return Outcome("error", result=result, error=Fault(message, code))


class Tool(msgspec.Struct, frozen=True, eq=False, kw_only=True, dict=True):
    name: str
    description: str
    schema: dict[str, Any]
    """A JSON schema of type object."""
    category: Category
    effects: frozenset[Effect]
    run: Callable[[Arguments, Context], Awaitable[Outcome]] | None = None
    """Takes valid arguments only. May raise: `call` turns that into an outcome."""
    plan: Callable[[Arguments, Context], Awaitable[Change]] | None = None
    """Instead of `run`, for a tool that edits files: works the change out and makes none of it."""
    touch: Callable[[Arguments, Root], Touch] | None = None
    """What a call with these arguments would touch. May raise; without it, all that its effects allow."""
    waits: bool = False
    """Its result comes from a person or a client, who is asked once and waited for durably."""
    known: bool = True
    """One of the house's own; any other counts as dangerous until a rule says otherwise."""
    examples: tuple[Arguments, ...] = ()
    """Arguments of calls that make sense."""
    settings: Mapping[str, Any] = {}
    """What it is configured with; an agent may have its own."""

    @cached_property
    def validator(self) -> Validator:
        return Validator(self.schema)

    @property
    def repeatable(self) -> bool:
        """After a crash it may run again: it only reads, sets what is ours to the same again, or waits for somebody."""
        return self.waits or self.effects <= {"read"} or (self.known and self.effects <= _OURS)

    def touched(self, arguments: Arguments, root: Root) -> Touch:
        return self.touch(arguments, root) if self.touch else NOTHING

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
