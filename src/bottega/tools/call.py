"""One call of a tool: find, validate, say what is intended, run, bound. It ends in an outcome.

A wrong call is never run and never guessed at: the model is told what was wrong, and goes on.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

import msgspec

from bottega.errors import Fenced, Problem, StorageFailed
from bottega.messages.block import ToolUse
from bottega.messages.json_size import MOST_ARGUMENTS, Crowded, check_size
from bottega.tools.bound import bounded, cut
from bottega.tools.cache import Cache
from bottega.tools.context import Context
from bottega.tools.tool import (
    Arguments,
    Fault,
    Outcome,
    Tool,
    failure,
    success,
    to_builtins,
    to_json,
)
from bottega.tools.validate import joined
from bottega.workspaces.edit import Change

OnIntent = Callable[[Tool], Awaitable[None]]
Keep = Callable[[str], Awaitable[str]]
"""Keeps a whole result that is too long for the model; returns a sentence that says where it is."""
Make = Callable[[Tool, Change], Awaitable[None]]
"""Says the intent of a change that was worked out, and makes it."""


class Tools(Protocol):
    """What a call needs of a registry."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def find(self, name: str) -> Tool | None: ...


_TYPES: dict[type, str] = {
    list: "they are an array",
    str: "they are a string",
    int: "they are a number",
    float: "they are a number",
    bool: "they are a boolean",
    type(None): "they are null",
}
_NAME = 100
_QUOTED = 200


async def call(
    use: ToolUse,
    registry: Tools,
    context: Context,
    on_intent: OnIntent,
    keep: Keep | None = None,
    *,
    make: Make | None = None,
    cache: Cache | None = None,
) -> Outcome:
    """Run one call. `on_intent` is awaited before anything happens; what it raises passes through.

    Whatever the tool raises becomes an error outcome; only cancellation passes through. A tool that edits files is
    planned, and `make` does the rest, its intent too. With a cache, a file that has not changed is not read again.
    """
    tool = found(use, registry)
    if isinstance(tool, Outcome):
        return tool
    if tool.run is None:
        return await bounded_outcome(await _planned(tool, use, context, make), keep)
    await on_intent(tool)
    return await bounded_outcome(await perform(tool, use.input, context, cache), keep)


def found(use: ToolUse, registry: Tools) -> Tool | Outcome:
    """The tool that a call means, if its arguments are right; else what the model is told."""
    tool = registry.find(use.name)
    if tool is None:
        return unknown(use.name, registry)
    if use.malformed:
        return failure(_malformed(use), "INVALID_ARGUMENTS")
    return wrong(tool, use.input) or tool


def wrong(tool: Tool, arguments: Arguments) -> Outcome | None:
    """What is wrong with the arguments; None if nothing is."""
    try:
        errors = tool.validator(arguments)
    except ValueError as problem:
        return failure(f"The tool {tool.name!r} has no valid schema: {problem}", "TOOL_FAILED")
    if errors:
        return failure(f"Invalid arguments for {tool.name}: {joined(errors)}.", "INVALID_ARGUMENTS")
    return None


def unknown(name: str, registry: Tools) -> Outcome:
    """The answer to a call of a tool that is not there (A26)."""
    shown = name if len(name) <= _NAME else name[:_NAME] + "…"
    there = ", ".join(registry.names) or "none"
    return failure(f"Unknown tool: {shown}. Available: {there}.", "UNKNOWN_TOOL")


def _malformed(use: ToolUse) -> str:
    try:
        check_size(use.malformed, MOST_ARGUMENTS)
        found: object = msgspec.json.decode(use.malformed)
        problem = _TYPES.get(type(found), "they could not be read")
    except Crowded as crowded:
        problem = f"they are {crowded}"
    except (
        ValueError,
        RecursionError,
    ) as error:  # msgspec's and those of half characters are such too
        problem = str(error)
    quoted = cut(use.malformed, limit=_QUOTED)
    return (
        f"The arguments of {use.name} are no JSON object: {problem}. The tool was not run. "
        f"Write the call again with all its arguments. They were: {quoted}"
    )


async def _planned(tool: Tool, use: ToolUse, context: Context, make: Make | None) -> Outcome:
    if tool.plan is None or make is None:
        return failure(f"The tool {tool.name!r} cannot be used here.", "TOOL_FAILED")
    try:
        change = await tool.plan(use.input, context)
    except Exception as problem:
        return failed(problem)
    try:
        await make(tool, change)
    except (Fenced, StorageFailed):
        raise
    except (Problem, OSError) as problem:
        return failed(problem)
    return success(to_builtins(change.result))


async def perform(
    tool: Tool, arguments: Arguments, context: Context, cache: Cache | None = None
) -> Outcome:
    """Run a tool; whatever it raises becomes an outcome."""
    assert tool.run is not None, "a tool that edits files is planned, not run"
    try:
        reader = tool.run if cache is None else partial(cache.run, tool)
        outcome = await reader(arguments, context)
        if not isinstance(outcome, Outcome):  # pyright: ignore[reportUnnecessaryIsInstance]
            outcome = success(outcome)
        return msgspec.structs.replace(outcome, result=to_builtins(outcome.result))
    except Exception as problem:
        return failed(problem)


def failed(problem: Exception) -> Outcome:
    """What the model is told of something that was raised."""
    if isinstance(problem, Problem):
        return failure(str(problem), problem.code.upper())
    if isinstance(problem, OSError):
        return failure(_system(problem), "TOOL_FAILED")
    return failure(str(problem) or type(problem).__name__, "TOOL_FAILED")


def _system(problem: OSError) -> str:
    if problem.strerror is None:
        return str(problem) or type(problem).__name__
    about = f": {problem.filename!r}" if problem.filename is not None else ""
    return f"{problem.strerror}{about}"


async def bounded_outcome(outcome: Outcome, keep: Keep | None) -> Outcome:
    """The outcome at a size that a model can read; the whole of it is kept where it was cut."""
    if outcome.error is not None:
        fault = Fault(cut(outcome.error.message), outcome.error.code)
        return msgspec.structs.replace(outcome, error=fault)
    small = bounded(outcome.result, outcome.kept)
    if small is outcome.result or keep is None or outcome.kept:
        return msgspec.structs.replace(outcome, result=small)
    whole = outcome.result if isinstance(outcome.result, str) else to_json(outcome.result)
    return msgspec.structs.replace(outcome, result=bounded(outcome.result, await keep(whole)))
