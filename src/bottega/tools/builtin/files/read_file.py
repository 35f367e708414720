"""`read_file`: one file or several, whole or some of their lines; images are shown as images.

Takes `file_path` with lines, or `files` with lines each. Each of several files has its own entry:
one bad path does not hide the others. `content` is the file's own text, to be patched as it is, unless numbers are
asked for.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import BadUsage, Problem
from bottega.messages.block import Image
from bottega.tools.context import Context
from bottega.tools.nearest import nearest
from bottega.tools.reading import Asked, Reading, Span, read, shown
from bottega.tools.settled import settled
from bottega.tools.tool import Fault, Outcome, Tool, failure, success, to_builtins
from bottega.workspaces.confine import Missing, NotAFile, Root

_LINE = {"type": "integer", "minimum": 1}
_FROM = {**_LINE, "description": "First line to read, from 1."}
_TO = {**_LINE, "description": "Last line to read, included."}
_PATH = {"type": "string", "minLength": 1, "description": "Path of the file, from the workspace."}
_RANGE = {
    "type": "object",
    "properties": {"start_line": _FROM, "end_line": _TO},
    "required": ["start_line", "end_line"],
    "additionalProperties": False,
}
_FILE = {
    "type": "object",
    "properties": {
        "path": _PATH,
        "start_line": _FROM,
        "end_line": _TO,
        "ranges": {"type": "array", "items": _RANGE, "minItems": 1, "maxItems": 20},
    },
    "required": ["path"],
    "additionalProperties": False,
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "file_path": _PATH,
        "start_line": _FROM,
        "end_line": _TO,
        "files": {
            "type": "array",
            "items": _FILE,
            "minItems": 1,
            "maxItems": 20,
            "description": "Several files at once, instead of file_path.",
        },
        "numbered": {
            "type": "boolean",
            "description": (
                "With the number and a tab before each line; false if left out. "
                "Neither is part of the file: leave both out of what you patch."
            ),
        },
    },
    "additionalProperties": False,
}
_GONE = "The file is no longer there; this is what the session's log last held of it."
_KEPT = "The file itself has all of it: read a part with start_line and end_line."


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    asked = _asked(arguments)
    found = await asyncio.gather(*(_attempt(context, each) for each in asked))
    if "files" in arguments:
        return _several(asked, found)
    return _one(found[0])


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(reads=tuple(root.canonical(each.path) for each in _asked(arguments)))


def _asked(arguments: dict[str, Any]) -> list[Asked]:
    path, files = arguments.get("file_path"), arguments.get("files")
    if (path is None) == (files is None):
        raise BadUsage("read_file takes either file_path or files.")
    with_numbers = arguments.get("numbered", False)
    given: list[dict[str, Any]] = files or [{**arguments, "path": path}]
    return [Asked(each["path"], _spans(each), with_numbers) for each in given]


def _spans(given: dict[str, Any]) -> tuple[Span, ...]:
    if "ranges" in given:
        return tuple(Span(each["start_line"], each["end_line"]) for each in given["ranges"])
    if "start_line" in given or "end_line" in given:
        return (Span(given.get("start_line", 1), given.get("end_line", 0)),)
    return ()


async def _attempt(context: Context, asked: Asked) -> Reading | Image | Fault:
    try:
        return await _read(context, asked)
    except Missing as problem:
        alike = await asyncio.to_thread(nearest, context.root, asked.path)
        meant = f" Did you mean {' or '.join(map(repr, alike))}?" if alike else ""
        return Fault(f"{problem}{meant}", "NOT_FOUND")
    except NotAFile as problem:
        hint = " list_dir shows what is in a folder." if "folder" in problem.message else ""
        return Fault(f"{problem}{hint}", "NOT_A_FILE")
    except Problem as problem:
        return Fault(str(problem), problem.code.upper())
    except OSError as problem:
        return Fault(
            f"The file {asked.path!r} could not be read: {problem.strerror}.", "UNREADABLE"
        )


async def _read(context: Context, asked: Asked) -> Reading | Image:
    canonical = settled(context, asked.path)
    asked = msgspec.structs.replace(asked, path=context.root.relative(asked.path))
    try:
        found, digest = await asyncio.to_thread(read, context.root, canonical, asked)
    except Missing:
        held = context.recall(canonical)
        if held is None:
            raise
        reading = shown(held, asked)
        return msgspec.structs.replace(reading, source="log", note=_GONE)
    if digest:
        context.saw(canonical, digest)
    return found


def _one(found: Reading | Image | Fault) -> Outcome:
    if isinstance(found, Fault):
        return failure(found.message, found.code)
    return success(_entry(found), _images((found,)), _KEPT)


def _several(asked: list[Asked], found: list[Reading | Image | Fault]) -> Outcome:
    faults = [each for each in found if isinstance(each, Fault)]
    if len(faults) == len(found):
        return failure("\n".join(fault.message for fault in faults), faults[0].code)
    entries = [
        {"path": each.path, "error": to_builtins(got)} if isinstance(got, Fault) else _entry(got)
        for each, got in zip(asked, found, strict=True)
    ]
    return success(entries, _images(found), _KEPT)


def _entry(found: Reading | Image) -> dict[str, Any]:
    if isinstance(found, Image):
        size = len(found.data) * 3 // 4 - found.data.count("=")
        shown = f"[an image of type {found.media_type}, shown beside this text]"
        return {"path": found.name, "content": shown, "size": size, "lines": 0}
    return to_builtins(found)


def _images(found: Iterable[Reading | Image | Fault]) -> tuple[Image, ...]:
    return tuple(each for each in found if isinstance(each, Image))


READ_FILE = Tool(
    name="read_file",
    description=(
        "Read a text file or an image of the workspace, or several at once with `files`. "
        "Use start_line and end_line for a part of a long file, numbered to see line numbers."
    ),
    schema=_SCHEMA,
    category="FILE_OPS",
    effects=frozenset({"read"}),
    run=run,
    touch=touch,
    examples=(
        {"file_path": "README.md"},
        {"file_path": "src/app.py", "start_line": 10, "end_line": 60, "numbered": True},
        {"files": [{"path": "src/app.py", "start_line": 1, "end_line": 40}, {"path": "a.txt"}]},
    ),
)
