"""The files in which a project says how to work in it: AGENTS.md of the workspace and of the repository around it.

Each level has one: AGENTS.md, or CLAUDE.md where there is none. No link is followed out
of the workspace, or of the repository above it.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from bottega.errors import Problem
from bottega.events.facts import Instructions
from bottega.tools.project.opened import beginning
from bottega.workspaces.confine import Root

FILES = ("AGENTS.md", "CLAUDE.md")
LARGEST = 24_000
"""Characters of one file."""
ALL = 48_000
"""Characters of all of them; the nearest ones come first."""
_LEVELS = 16


def instructions(folder: str) -> tuple[Instructions, ...]:
    """What the project says, the nearest file last; paths are as seen from the folder."""
    here = os.path.realpath(folder)
    top = repository_of(here) or here
    found: list[Instructions] = []
    with suppress(Problem, OSError):
        # What lies in the workspace may be an agent's own making: a link in it leads nowhere else.
        with Root(here) as root:
            _take(found, root, (".",), here)
        if top != here:
            with Root(top) as root:
                _take(found, root, _above(here, top), here)
    return tuple(reversed(found))


def _take(found: list[Instructions], root: Root, levels: Iterable[str], here: str) -> None:
    for level in levels:
        room = ALL - sum(len(each.text) for each in found)
        if file := _first(root, level, here, room):
            found.append(file)


def repository_of(folder: str) -> str:
    """The folder of the repository that this one lies in; empty: none, or somebody else put it there."""
    at = folder
    try:
        owner = os.stat(folder).st_uid
        for _ in range(_LEVELS):
            git = os.path.join(at, ".git")
            # An open sandbox keeps an empty folder where there is no repository.
            if os.path.isfile(git) or os.path.isfile(os.path.join(git, "HEAD")):
                return at if os.lstat(git).st_uid == owner else ""
            if at == (at := os.path.dirname(at)):
                return ""
    except OSError:
        return ""
    return ""


def _above(here: str, top: str) -> list[str]:
    """From the folder that holds this one up to the top, as seen from there."""
    parts = os.path.relpath(here, top).split("/")
    return ["/".join(parts[:depth]) or "." for depth in range(len(parts) - 1, -1, -1)]


def _first(root: Root, level: str, here: str, room: int) -> Instructions | None:
    for name in FILES:
        body = beginning(root, f"{level}/{name}", 4 * LARGEST + 1)
        if body is None or b"\0" in body or not body.strip():
            continue
        path = os.path.relpath(os.path.join(root.path, level, name), here)
        return Instructions(path, _bounded(body, path, min(LARGEST, room)))
    return None


def _bounded(body: bytes, path: str, most: int) -> str:
    text = body.decode(errors="replace")
    if len(text) <= most:
        return text
    return f"{text[: max(most, 0)]}\n[{path} is cut here: the first {max(most, 0):,} characters are shown.]"
