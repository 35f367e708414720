"""The files in which a project says how to work in it: AGENTS.md of the workspace and of the repository around it.

Each level has one: AGENTS.md, or CLAUDE.md where there is none. Nothing above the project's folder is looked at, and no
link is followed out of the workspace, or out of the project above it.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from bottega.errors import Problem
from bottega.events.facts import Instructions
from bottega.tools.project.opened import Denied, beginning, nothing
from bottega.workspaces.confine import Root

FILES = ("AGENTS.md", "CLAUDE.md")
LARGEST = 24_000
"""Characters of one file."""
ALL = 48_000
"""Characters of all of them; the nearest ones come first."""


def instructions(
    root: Root, denied: Denied = nothing, denied_above: Denied = nothing
) -> tuple[Instructions, ...]:
    """What the project says, the nearest file last; paths are as seen from the folder.

    `denied` takes paths from the folder, `denied_above` paths from its project: what lies above is judged by both.
    """
    found: list[Instructions] = []
    with suppress(Problem, OSError):
        # What lies in the workspace may be an agent's own making: a link in it leads nowhere else.
        _take(found, root, (".",), ".", denied)
        top = repository_of(root)
        if top is not None:
            here = root.inside
            _take(
                found,
                root.top,
                _levels(here, top)[1:],
                here,
                lambda path: denied_above(path) or denied(os.path.relpath(path, here)),
            )
    return tuple(reversed(found))


def _take(
    found: list[Instructions],
    root: Root,
    levels: Iterable[str],
    here: str,
    denied: Denied,
) -> None:
    for level in levels:
        room = ALL - sum(len(each.text) for each in found)
        if file := _first(root, level, here, room, denied):
            found.append(file)


def repository_of(root: Root) -> str | None:
    """The folder of the repository that this one lies in, as seen from its project.

    None: there is none in the project, or somebody else put it there.
    """
    try:
        owner = os.fstat(root.fileno()).st_uid
        for level in _levels(root.inside, "."):
            if (whose := _owner_of_git(root.top, level)) is not None:
                return level if whose == owner else None
    except (Problem, OSError):
        return None
    return None


def _owner_of_git(top: Root, level: str) -> int | None:
    """Whose the repository right in this folder is; None where there is none."""
    with suppress(Problem, OSError):
        found = top.stat(f"{level}/.git", follow=False)
        if stat.S_ISDIR(found.st_mode):  # without a HEAD git takes it for no repository
            head = top.stat(f"{level}/.git/HEAD", follow=False)
            return found.st_uid if stat.S_ISREG(head.st_mode) else None
        return found.st_uid if stat.S_ISREG(found.st_mode) else None
    return None


def _levels(here: str, top: str) -> list[str]:
    """From a folder up to the one that holds it, both as seen from the project."""
    levels = [here]
    while levels[-1] != top and levels[-1] != ".":
        levels.append(os.path.dirname(levels[-1]) or ".")
    return levels


def _first(root: Root, level: str, here: str, room: int, denied: Denied) -> Instructions | None:
    for name in FILES:
        body = beginning(root, f"{level}/{name}", 4 * LARGEST + 1, denied)
        if body is None or b"\0" in body or not body.strip():
            continue
        path = os.path.relpath(os.path.join(level, name), here)
        return Instructions(path, _bounded(body, path, min(LARGEST, room)))
    return None


def _bounded(body: bytes, path: str, most: int) -> str:
    text = body.decode(errors="replace")
    if len(text) <= most:
        return text
    return f"{text[: max(most, 0)]}\n[{path} is cut here: the first {max(most, 0):,} characters are shown.]"
