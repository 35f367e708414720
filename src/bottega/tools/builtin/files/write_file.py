"""`write_file`: a file's whole text, new or instead of what is there.

A file that is there keeps its encoding, its byte order mark and, unless the call says otherwise, its line endings.
"""

import asyncio
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import BadUsage
from bottega.tools.context import Context
from bottega.tools.editing.change import FILE_PATH, PATH, Target, Unfit, counted, named, target
from bottega.tools.editing.change import touch as touch_of
from bottega.tools.editing.written import EMPTY, Written, plain, written
from bottega.tools.tool import Tool
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change

_PREVIEW = 1_000
_PREVIEW_LINES = 20


async def plan(arguments: dict[str, Any], context: Context) -> Change:
    content: str = arguments["content"]
    if "\0" in content:
        raise BadUsage("The content holds a NUL character; write_file writes text only.")
    found = await target(context, named(arguments))
    return await asyncio.to_thread(
        _worked_out, found, content, arguments.get("line_endings", "keep")
    )


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return touch_of(root, named(arguments))


def _worked_out(found: Target, content: str, endings: str) -> Change:
    before = EMPTY if found.before is None else written(found.before, found.path)
    now = _ended(before, before.filled(content), endings)
    after = now.body()
    if after == found.before:
        raise Unfit(f"The file {found.path!r} already has exactly this content.", "no_change")
    told: dict[str, Any] = {
        "path": found.path,
        "preview": _preview(now.text),
        **counted(after, now.text),
    }
    if found.before is None:
        told["created"] = True
    return Change((found.edit(after),), told)


def _ended(before: Written, now: Written, endings: str) -> Written:
    lines = len(now.crlf)
    if endings == "keep":
        kept = before.crlf and all(before.crlf) and not any(now.crlf)
        return msgspec.structs.replace(now, crlf=b"\1" * lines) if kept else now
    return msgspec.structs.replace(now, crlf=(b"\1" if endings == "crlf" else b"\0") * lines)


def _preview(text: str) -> str:
    head = "\n".join(plain(text).split("\n", _PREVIEW_LINES)[:_PREVIEW_LINES])[:_PREVIEW]
    return head if len(head) >= len(text.rstrip("\n")) else head + "\n…"


WRITE_FILE = Tool(
    name="write_file",
    description=(
        "Write a text file of the workspace whole: create it, folders included, or replace all "
        "that is in it. To change a part of a file use patch_file."
    ),
    schema={
        "type": "object",
        "properties": {
            "file_path": FILE_PATH,
            "path": PATH,
            "content": {"type": "string", "description": "The whole text of the file."},
            "line_endings": {
                "type": "string",
                "enum": ["keep", "lf", "crlf"],
                "description": "keep, if left out: as they are in a file that is there.",
            },
        },
        "required": ["content"],
        "additionalProperties": False,
    },
    category="FILE_OPS",
    effects=frozenset({"write"}),
    plan=plan,
    touch=touch,
    examples=({"file_path": "docs/plan.md", "content": "# Plan\n\n1. Measure.\n"},),
)
