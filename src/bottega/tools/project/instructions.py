"""The files in which a project says how to work in it: AGENTS.md of the workspace and of the repository around it.

Each level has one: AGENTS.md, or CLAUDE.md where there is none. Links that lead out of the repository are not followed.
"""

import os

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
    room = ALL
    try:
        with Root(top) as root:
            for level in _levels(here, top):
                file = _first(root, level, here, room)
                if file:
                    found.append(file)
                    room -= len(file.text)
    except (Problem, OSError):
        return tuple(reversed(found))
    return tuple(reversed(found))


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


def _levels(here: str, top: str) -> list[str]:
    """From the folder itself up to the top, as seen from there."""
    levels = ["."]
    inside = os.path.relpath(here, top)
    if inside != ".":
        parts = inside.split("/")
        levels = ["/".join(parts[:depth]) or "." for depth in range(len(parts), -1, -1)]
    return levels


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
