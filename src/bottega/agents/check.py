"""Whether a spec makes sense where it is to be used: every problem, one sentence each, in the order of its fields.

A marker is a small-letter name in single braces. One that nobody fills in is refused, for it would reach the model as
it stands. What only looks like one is not meant: names inside code (a fence, or backticks), in doubled braces or
after a dollar sign, and anything with more than a name between the braces, such as an example in JSON.
"""

import re
from collections.abc import Iterator

from bottega.agents.agent import Whereabouts
from bottega.agents.prompt.markers import MARKERS, unknown
from bottega.agents.spec import Spec, bare, near, reshaped
from bottega.origin import is_secure, origin_of
from bottega.reach.address import is_address
from bottega.tools.registry import Registry

_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
_TICKS = re.compile(r"`+")
_MCP = re.compile(r"mcp__(?=[^\n]+\Z)[A-Za-z0-9_-]+__.+", re.DOTALL)


def check(spec: Spec, registry: Registry) -> list[str]:
    """All that keeps this agent from being used with these tools; empty: nothing does."""
    if shape := reshaped(spec):
        return shape
    if spec.remote:
        return [*_remote(spec, spec.remote)]
    return [*_prompt(spec), *_tools(spec, registry)]


def unknown_markers(prompt: str) -> tuple[str, ...]:
    """The names in single braces, outside code, that are no markers."""
    return unknown(_without_spans(_without_blocks(prompt)))


def _without_blocks(prompt: str) -> str:
    """The lines that are in no block of code; one that is not closed goes on to the end."""
    kept: list[str] = []
    fence = ""
    for line in prompt.split("\n"):
        found = _FENCE.match(line)
        if not fence:
            fence = found[1] if found else ""
            kept.append("" if found else line)
        elif found and line.strip(" \t").startswith(fence) and not line.strip(" \t`~"):
            fence = ""
    return "\n".join(kept)


def _without_spans(text: str) -> str:
    """The text without what stands between two equally long runs of backticks."""
    runs = [each.span() for each in _TICKS.finditer(text)]
    closing: dict[int, int] = {}
    next_of: dict[int, int] = {}
    for at, (start, end) in reversed([*enumerate(runs)]):
        closing[at] = next_of.get(end - start, -1)
        next_of[end - start] = at
    kept: list[str] = []
    at = done = 0
    while at < len(runs):
        if (last := closing[at]) > 0:
            kept.append(text[done : runs[at][0]])
            at, done = last, runs[last][1]
        at += 1
    return " ".join([*kept, text[done:]])


def is_mcp(tool: str) -> bool:
    """Whether it names a tool of an MCP server, of which nobody knows before the server has started."""
    return _MCP.fullmatch(tool) is not None


_THERE = ("system_prompt", "type", "model", "tools", "tool_configs", "wishes", "at_once")
"""What is set where the agent is."""
_USUAL = Spec(slug="a", name="a")


def _remote(spec: Spec, remote: Whereabouts) -> Iterator[str]:
    if not is_address(remote.address):
        yield (
            "remote.address must be http:// or https:// with a host, and without a login: a token is kept"
            " with `bottega keys set`"
        )
    elif not is_secure(origin_of(remote.address)):
        yield "remote.address must begin with https://: a token would be read on its way to another machine"
    for name in _THERE:
        if getattr(spec, name) != getattr(_USUAL, name):
            yield f"{name} must be left out: it is set where the agent is"


def _prompt(spec: Spec) -> list[str]:
    if not spec.system_prompt.strip():
        return ["system_prompt is empty: say what the agent is for and how it works"]
    return [
        f"system_prompt has an unknown marker {{{name}}}.{near(name, MARKERS)}"
        " Put it in backticks, or double its braces, if it is none"
        for name in unknown_markers(spec.system_prompt)
    ]


def _tools(spec: Spec, registry: Registry) -> list[str]:
    named = spec.tools or ()
    problems: list[str] = []
    if spec.type == "StreamAgent":
        if named:
            problems.append("tools must be left out: a StreamAgent has none")
        if spec.tool_configs:
            problems.append("tool_configs must be left out: a StreamAgent has no tools")
        return problems
    for name in dict.fromkeys(named):
        if name not in registry.names and not is_mcp(name):
            problems.append(f"tools: there is no tool {name[:60]!r}.{near(name, registry.names)}")
    for name in spec.tool_configs:
        if is_mcp(name):
            problems.append(f"tool_configs.{bare(name)}: a tool of an MCP server takes none")
        elif spec.tools is not None and name not in named:
            problems.append(f"tool_configs.{bare(name)} is for a tool that tools does not name")
        elif spec.tools is None and name not in registry.names:
            problems.append(
                f"tool_configs: there is no tool {name[:60]!r}.{near(name, registry.names)}"
            )
    return problems
