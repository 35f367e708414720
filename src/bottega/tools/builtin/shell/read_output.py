"""`read_output`: some lines of an output that was too long to show, or of one that still comes."""

from typing import Any

from bottega.errors import BadUsage, NotFound
from bottega.tools.context import Context
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.outputs.drain import in_thread
from bottega.workspaces.outputs.part import Part, part, tail, within
from bottega.workspaces.outputs.search import search
from bottega.workspaces.outputs.source import Source

_TAIL = 100
_RANGE = frozenset({"start_line", "end_line", "start_column"})
_ROOM = 8_500


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    ranged = not _RANGE.isdisjoint(arguments)
    if ranged + ("search" in arguments) + ("tail" in arguments) > 1:
        raise BadUsage("read_output takes a range of lines, or search, or tail.")
    source, running = await in_thread(lambda: _found(arguments, context))
    result: dict[str, Any] = {"output_id": arguments["output_id"]}
    if running:
        result["running"] = True
    if "search" in arguments:
        return success(result | await _searched(source, arguments))
    return success(result | await in_thread(lambda: _read(source, arguments, ranged=ranged)))


def _found(arguments: dict[str, Any], context: Context) -> tuple[Source, bool]:
    output_id = arguments["output_id"]
    for opened in context.shells.list(context.root.path, context.person):
        if opened.shell.id == output_id:
            return opened.shell.source, True
    source = context.outputs.find(output_id, arguments.get("stream", ""))
    return source, context.outputs.running(output_id)


def _read(source: Source, arguments: dict[str, Any], *, ranged: bool) -> dict[str, Any]:
    total = source.total()
    if not ranged:
        return _told(tail(source, arguments.get("tail", _TAIL)), total)
    first = arguments.get("start_line", 1)
    if "start_column" in arguments:
        return _within(source, first, arguments["start_column"])
    last = arguments.get("end_line", max(total, first))
    if last < first:
        raise BadUsage(f"Lines {first} to {last} end before they start.")
    found = part(source, first, last)
    if not found.first:
        raise NotFound(
            f"Lines {first} to {last} are not kept.", hint=f"The output has {total:,} lines."
        )
    return _told(found, total)


def _within(source: Source, line: int, column: int) -> dict[str, Any]:
    text, more = within(source, line, column)
    if not text:
        raise NotFound(f"There is nothing at column {column} of line {line}.")
    end = column + len(text) - 1
    result = {"content": text, "start_line": line, "start_column": column, "end_column": end}
    return result | ({"note": f"The line goes on: start_column {end + 1}."} if more else {})


def _told(found: Part, total: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "content": found.text,
        "start_line": found.first,
        "end_line": found.last,
        "lines": total,
    }
    if found.more:
        result["note"] = (
            "There is no room for more lines at once. Ask for the others by start_line and end_line."
        )
    return result


async def _searched(source: Source, arguments: dict[str, Any]) -> dict[str, Any]:
    found = await search(source, arguments["search"], regex=arguments.get("regex", False))
    room, matches = _ROOM, list[str]()
    for each in found.found:
        text = f"{each.line}: {each.text}"
        room -= len(text) + 4
        if room >= 0:
            matches.append(text)
    result: dict[str, Any] = {"matches": matches}
    if found.more or len(matches) < len(found.found):
        result["note"] = "There are more matches than are shown. Search for something rarer."
    elif not matches:
        result["note"] = "Nothing in the output matches."
    return result


_LINE = {"type": "integer", "minimum": 1}

READ_OUTPUT = Tool(
    name="read_output",
    description=(
        "Read a part of an output that was too long to be shown whole, or of one that still comes: lines by number, "
        "the last lines, or those in which something occurs. For an open shell, output_id is its session_id."
    ),
    schema={
        "type": "object",
        "properties": {
            "output_id": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "description": "The id that the result named.",
            },
            "stream": {
                "enum": ["stdout", "stderr"],
                "description": "Which of a command's two; stdout if left out.",
            },
            "start_line": {**_LINE, "description": "First line to read, from 1."},
            "start_column": {
                **_LINE,
                "description": "Read start_line alone, from this character on: for a line that is very long.",
            },
            "end_line": {**_LINE, "description": "Last line to read, included."},
            "tail": {
                **_LINE,
                "maximum": 10_000,
                "description": f"The last lines, so many; {_TAIL} if nothing else is asked for.",
            },
            "search": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1_000,
                "description": "Show the lines in which this occurs, with their numbers.",
            },
            "regex": {"type": "boolean", "description": "`search` is a regular expression."},
        },
        "required": ["output_id"],
        "additionalProperties": False,
    },
    category="SHELL",
    effects=frozenset({"read"}),
    run=run,
    examples=(
        {"output_id": "out_0198c0de", "start_line": 200, "end_line": 260},
        {"output_id": "out_0198c0de", "search": "error"},
        {"output_id": "sh_0198c0de", "tail": 50},
    ),
)
