"""From a path and what should become of it to an edit that can be shown, judged and made; nothing is written here.

What the model has seen and what is there must be the same file: else it edits what it does not know (C20).
"""

import asyncio
import hashlib
import os
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import BadUsage, Problem, Refused
from bottega.tools.context import Context
from bottega.tools.reading import WHOLE_MAX, TooLarge
from bottega.tools.settled import settled
from bottega.workspaces import own_code
from bottega.workspaces.confine import Missing, Root
from bottega.workspaces.edit import Edit
from bottega.workspaces.gitfiles import is_of_git
from bottega.workspaces.problems import Stale

FILE_PATH = {
    "type": "string",
    "minLength": 1,
    "description": "Path of the file, from the workspace.",
}
PATH = {"type": "string", "minLength": 1, "description": "The same as file_path."}
PATCHES: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": 200,
    "description": "Made one after the other, each on what the one before left.",
    "items": {
        "type": "object",
        "properties": {
            "old_text": {
                "type": "string",
                "description": (
                    "Text that is in the file exactly, white space included, in one place only. "
                    "Empty: creates the file."
                ),
            },
            "new_text": {"type": "string", "description": "What stands there afterwards."},
            "replace_all": {
                "type": "boolean",
                "description": "Replace old_text wherever it is; false if left out.",
            },
        },
        "required": ["old_text", "new_text"],
        "additionalProperties": False,
    },
}


class Protected(Refused):
    """A file that decides what other programs run."""

    code = "protected"


class Unfit(Problem):
    """The edits do not fit the files; `code` says how."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Target(msgspec.Struct, frozen=True):
    """A file that is to be edited, as it is now."""

    path: str
    """As the model named it."""
    canonical: str
    before: bytes | None

    def edit(self, after: bytes) -> Edit:
        return Edit(self.canonical, self.before, after)


def named(arguments: dict[str, Any]) -> str:
    """The file that the arguments name, by either of two words."""
    given = [arguments[key] for key in ("file_path", "path") if key in arguments]
    if len(given) != 1:
        raise BadUsage("Name the file by file_path.")
    return given[0]


def touch(root: Root, *paths: str) -> Touch:
    """What editing these files touches; reading one is part of editing it."""
    found = tuple(dict.fromkeys(root.canonical(path) for path in paths))
    return Touch(reads=found, writes=found)


async def target(context: Context, path: str) -> Target:
    """The file at that path; raises `Stale` where the model has seen another content of it."""
    canonical = settled(context, path)
    if is_of_git(canonical):
        raise Protected(
            f"The file {path!r} belongs to git, and may decide what git runs.",
            hint="Use git itself to change it.",
        )
    await asyncio.to_thread(own_code.refuse_change, context.root.path, canonical)
    at = context.root.relative(path)
    before = await asyncio.to_thread(_current, context.root, canonical, at)
    seen = context.seen(canonical)
    if before is not None and seen and seen != hashlib.sha256(before).hexdigest():
        raise Stale(
            f"The file {at!r} has changed since you read it.",
            hint="Read it again, then make the change on what is there now.",
        )
    return Target(at, canonical, before)


def _current(root: Root, canonical: str, path: str) -> bytes | None:
    try:
        opened = root.open_file(canonical, follow=False)
    except Missing:
        return None
    with os.fdopen(opened, "rb") as file:
        body = file.read(WHOLE_MAX + 1)
    if len(body) > WHOLE_MAX:
        raise TooLarge(
            f"The file {path!r} is larger than {WHOLE_MAX // 1024 // 1024} MB; "
            "it cannot be edited here.",
            hint="Use a command such as sed for it.",
        )
    return body


def counted(body: bytes, text: str) -> dict[str, int]:
    """How large a file now is, in bytes and in lines."""
    return {"size": len(body), "lines": text.count("\n") + (not text.endswith("\n") and text != "")}
