"""Tools that other distributions bring, by entry points of the group `bottega.tools`.

An entry is a `Tool`, or several, or a function that gives them. They are strangers: `known` is off whatever they say,
and one that is broken is a notice that names its distribution, never the end of the program.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

import msgspec

from bottega.errors import Problem
from bottega.tools.registry import Registry
from bottega.tools.tool import Tool

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "bottega.tools"


def extend(registry: Registry) -> tuple[str, ...]:
    """Add every tool that is installed and not yet there; returns a sentence for each that could not be."""
    from importlib.metadata import entry_points

    notices: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda each: (_origin(each), each.name)):
        try:
            found = _tools(entry.load())
        except (Exception, SystemExit) as problem:
            notices.append(_notice(entry, problem))
            continue
        for tool in found:
            try:
                registry.register(msgspec.structs.replace(tool, known=False))
            except Problem as problem:
                notices.append(_notice(entry, problem))
    return tuple(notices)


def _tools(loaded: Any) -> list[Tool]:
    if not isinstance(loaded, Tool) and callable(loaded):
        loaded = cast("Callable[[], Any]", loaded)()
    several = (loaded,) if isinstance(loaded, Tool) else cast("Iterable[Any]", loaded)
    found: list[Tool] = []
    for each in several:
        if not isinstance(each, Tool):
            raise TypeError(f"it gives a {type(each).__name__} where a Tool is wanted")
        each.validator({})  # a schema that is none shows itself now
        found.append(each)
    return found


def _origin(entry: "EntryPoint") -> str:
    return entry.dist.name if entry.dist else ""


def _notice(entry: "EntryPoint", problem: BaseException) -> str:
    reason = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
    reason = str(problem) if isinstance(problem, Problem) else reason
    origin = _origin(entry) or "an unnamed distribution"
    return f"The tools of {origin} ({entry.name} = {entry.value}) were left out: {reason}"
