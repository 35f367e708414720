"""`multi_edit`: patches of several files, all of them or none; whatever does not fit is told at once."""

import asyncio
from typing import Any

from bottega.approvals.touch import Touch
from bottega.errors import Problem
from bottega.tools.context import Context
from bottega.tools.editing.change import FILE_PATH, PATCHES, PATH, Target, named, target
from bottega.tools.editing.change import touch as touch_of
from bottega.tools.editing.patch import Misfit, Patch, patches
from bottega.tools.editing.patching import absent, refuse, worked_out
from bottega.tools.tool import Tool
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit


async def plan(arguments: dict[str, Any], context: Context) -> Change:
    wanted, wrong = await _gathered(arguments["edits"], context)
    edits: list[Edit] = []
    told: list[dict[str, Any]] = []
    for found, of_file in wanted.values():
        missing = await absent(found, of_file, context)
        if missing:
            wrong += missing
            continue
        try:
            edit, entry, misfits = await asyncio.to_thread(worked_out, found, of_file)
        except Problem as problem:
            wrong.append(_misfit(problem))
            continue
        edits.append(edit)
        told.append(entry)
        wrong += misfits
    refuse(wrong, len(arguments["edits"]))
    return Change(tuple(edits), {"files_modified": len(edits), "files": told})


async def _gathered(
    edits: list[dict[str, Any]], context: Context
) -> tuple[dict[str, tuple[Target, list[Patch]]], list[Misfit]]:
    """Every file once, with all its patches in order; and what is wrong with the others."""
    wanted: dict[str, tuple[Target, list[Patch]]] = {}
    wrong: list[Misfit] = []
    for each in edits:
        try:
            found = await target(context, named(each))
        except Problem as problem:
            wrong.append(_misfit(problem))
            continue
        wanted.setdefault(found.canonical, (found, []))[1].extend(patches(each["patches"]))
    return wanted, wrong


def _misfit(problem: Problem) -> Misfit:
    return Misfit(str(problem), problem.code.upper())


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return touch_of(root, *(named(each) for each in arguments["edits"]))


MULTI_EDIT = Tool(
    name="multi_edit",
    description=(
        "Patch several files of the workspace at once, as patch_file does one: either all of them "
        "are changed, or none. Use it for changes that belong together."
    ),
    schema={
        "type": "object",
        "properties": {
            "edits": {
                "type": "array",
                "minItems": 1,
                "maxItems": 100,
                "items": {
                    "type": "object",
                    "properties": {"file_path": FILE_PATH, "path": PATH, "patches": PATCHES},
                    "required": ["patches"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["edits"],
        "additionalProperties": False,
    },
    category="FILE_OPS",
    effects=frozenset({"write"}),
    plan=plan,
    touch=touch,
    examples=(
        {
            "edits": [
                {
                    "file_path": "src/app.py",
                    "patches": [{"old_text": "def start(", "new_text": "def begin("}],
                },
                {
                    "file_path": "tests/test_app.py",
                    "patches": [
                        {"old_text": "app.start(", "new_text": "app.begin(", "replace_all": True}
                    ],
                },
            ]
        },
    ),
)
