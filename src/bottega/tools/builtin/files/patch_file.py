"""`patch_file`: exact pairs of old and new text in one file, all of them or none."""

import asyncio
from typing import Any

from bottega.approvals.touch import Touch
from bottega.tools.context import Context
from bottega.tools.editing.change import FILE_PATH, PATCHES, PATH, named, target
from bottega.tools.editing.change import touch as touch_of
from bottega.tools.editing.patch import patches
from bottega.tools.editing.patching import absent, refuse, worked_out
from bottega.tools.tool import Tool
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change


async def plan(arguments: dict[str, Any], context: Context) -> Change:
    found = await target(context, named(arguments))
    wanted = patches(arguments["patches"])
    refuse(await absent(found, wanted, context))
    edit, told, wrong = await asyncio.to_thread(worked_out, found, wanted)
    refuse(wrong)
    return Change((edit,), told)


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return touch_of(root, named(arguments))


PATCH_FILE = Tool(
    name="patch_file",
    description=(
        "Replace exact pieces of text in a file of the workspace; all patches are made, or none. "
        "Read the file first: old_text must be in it exactly, and in one place only. "
        "Line endings, encoding and everything else stay as they are."
    ),
    schema={
        "type": "object",
        "properties": {"file_path": FILE_PATH, "path": PATH, "patches": PATCHES},
        "required": ["patches"],
        "additionalProperties": False,
    },
    category="FILE_OPS",
    effects=frozenset({"write"}),
    plan=plan,
    touch=touch,
    examples=(
        {
            "file_path": "src/app.py",
            "patches": [{"old_text": "retries = 3\n", "new_text": "retries = 5\n"}],
        },
        {
            "file_path": "src/app.py",
            "patches": [{"old_text": "colour", "new_text": "color", "replace_all": True}],
        },
    ),
)
