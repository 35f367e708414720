"""Patches on one file, from its bytes to an edit and what the model is told of it."""

import asyncio
from typing import Any

from bottega.tools.context import Context
from bottega.tools.editing.change import Target, Unfit, counted
from bottega.tools.editing.patch import Misfit, Patch, patched
from bottega.tools.editing.written import EMPTY, written
from bottega.tools.nearest import nearest
from bottega.tools.tool import to_builtins
from bottega.workspaces.edit import Edit


async def absent(target: Target, wanted: list[Patch], context: Context) -> list[Misfit]:
    """Why a file that is not there cannot be patched; nothing where the patches create it."""
    if target.before is not None or not wanted[0].old:
        return []
    words = f"There is no file {target.path!r}."
    if context.recall(target.canonical) is not None:
        words += " It was there before: read_file still shows what it held."
    elif alike := await asyncio.to_thread(nearest, context.root, target.path):
        words += f" Did you mean {' or '.join(map(repr, alike))}?"
    return [Misfit(f"{words} An empty old_text creates it.", "NOT_FOUND")]


def worked_out(target: Target, wanted: list[Patch]) -> tuple[Edit, dict[str, Any], list[Misfit]]:
    """The edit, what the model is told once it is made, and why it cannot be."""
    start = EMPTY if target.before is None else written(target.before, target.path)
    end, made, wrong = patched(start, wanted, target.path)
    after = end.body()
    if not wrong and after == target.before:
        wrong = [Misfit(f"The patches of {target.path!r} together change nothing.", "NO_CHANGE")]
    told = {"path": target.path, "changes": to_builtins(made), **counted(after, end.text)}
    if target.before is None:
        told["created"] = True
    return target.edit(after), told, wrong


def refuse(wrong: list[Misfit], files: int = 1) -> None:
    """Raise all that does not fit as one problem; nothing where all fits."""
    if not wrong:
        return
    words = "\n\n".join(each.message for each in wrong)
    many = f"None of the {files} files was changed. " if files > 1 else "Nothing was changed. "
    raise Unfit(f"{many}{words}", wrong[0].code.lower())
