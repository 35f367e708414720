"""`list_dir`: what is in a folder, some levels deep; never more than a model can read.

Near things come first: where not all can be named, each level is named before the next one.
"""

import asyncio
from collections import deque
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import Problem
from bottega.tools.context import Context
from bottega.tools.nearest import not_found
from bottega.tools.settled import settled
from bottega.tools.tool import Outcome, Tool, success, to_builtins
from bottega.workspaces.confine import Entry, Kind, Missing, Root
from bottega.workspaces.entries import MOST

_MOST = 500
_ROOM = 8_500
"""Characters for all entries together, below what a result may have."""
_CLOSED = frozenset({".git"})
"""Folders that are named but not entered."""


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    path: str
    """From the listed folder."""
    kind: Kind
    size: int | None = None
    target: str = ""
    error: str = ""


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    path, depth = arguments.get("path") or ".", arguments.get("depth", 1)
    canonical = settled(context, path)
    return await asyncio.to_thread(_list, context.root, path, canonical, depth)


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(reads=(root.canonical(arguments.get("path") or "."),))


def _list(root: Root, path: str, canonical: str, depth: int) -> Outcome:
    try:
        items, left, whole = _found(root, canonical, depth)
    except Missing as problem:
        raise not_found(root, path, problem) from None
    items.sort(key=lambda item: item.path.casefold().split("/"))
    result: dict[str, Any] = {"path": root.relative(path), "entries": to_builtins(items)}
    if left:
        many = f"{left:,}" if whole else f"{left:,} or"
        result["note"] = f"{many} more entries are not shown. List a folder deeper down for them."
    return success(result)


def _found(root: Root, path: str, depth: int) -> tuple[list[Item], int, bool]:
    """The entries, level by level, how many were seen but left out, and whether there are no others."""
    items: dict[str, Item] = {}
    left, room, whole = 0, _ROOM, True
    todo = deque([("", 1)])
    while todo and whole:
        prefix, level = todo.popleft()
        try:
            listing = root.list(f"{path}/{prefix}" if prefix else path, _MOST, follow=False)
        except (Problem, OSError) as problem:
            if not prefix:
                raise
            items[prefix] = Item(prefix, "folder", error=str(problem))
            continue
        for entry in listing.entries:
            item = _item(entry, prefix)
            cost = len(item.path) + len(item.target) + 45
            if left or len(items) >= _MOST or cost > room:
                left += 1  # once one is left out, all that come later are, however short
                continue
            room -= cost
            items[item.path] = item
            if item.kind == "folder" and level < depth and entry.name not in _CLOSED:
                todo.append((item.path, level + 1))
        left += listing.total - len(listing.entries)
        whole = listing.whole and left < MOST
    return list(items.values()), left, whole


def _item(entry: Entry, prefix: str) -> Item:
    path = f"{prefix}/{entry.name}" if prefix else entry.name
    size = entry.size if entry.kind == "file" else None
    return Item(path, entry.kind, size, entry.target)


LIST_DIR = Tool(
    name="list_dir",
    description=(
        "List the entries of a folder of the workspace with their kind and size, hidden ones too. "
        "With depth, folders inside it as well."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The folder, from the workspace; the workspace itself if left out.",
            },
            "depth": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": "How many levels to show; 1 if left out.",
            },
        },
        "additionalProperties": False,
    },
    category="FILE_OPS",
    effects=frozenset({"read"}),
    run=run,
    touch=touch,
    examples=({}, {"path": "src", "depth": 2}),
)
