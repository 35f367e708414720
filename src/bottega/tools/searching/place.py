"""Where a search begins: a folder or a file of the workspace, found as it was judged."""

import asyncio
import stat
from typing import Any

from bottega.tools.context import Context
from bottega.tools.nearest import not_found
from bottega.tools.settled import settled
from bottega.workspaces.confine import Missing, NotAFile, NotAFolder


async def place(arguments: dict[str, Any], context: Context, *, folder: bool = False) -> str:
    """The canonical path that `path` names, or the workspace itself; must be there."""
    asked = arguments.get("path") or "."
    canonical = settled(context, asked)
    try:
        found = context.root.stat(canonical, follow=False)
    except Missing as problem:
        raise await asyncio.to_thread(not_found, context.root, asked, problem) from None
    if folder and not stat.S_ISDIR(found.st_mode):
        raise NotAFolder(f"The path {asked!r} names no folder.")
    if not (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)):
        raise NotAFile(f"The path {asked!r} names a pipe, socket or device; it cannot be searched.")
    return canonical
