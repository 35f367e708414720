"""One quick look at a folder: what lies in it and which commit is checked out; a huge folder is looked at in part."""

import os
from itertools import islice

import msgspec

from bottega.errors import Problem
from bottega.tools.project.git import repository
from bottega.tools.project.instructions import repository_of
from bottega.tools.project.opened import Denied, beginning, nothing
from bottega.workspaces.confine import Root

LINES = 50
NAMES = 200
"""Entries up to which a folder's changes can be told."""
_SCANNED = 1_000
_DESCRIPTION = 300
_LEFT_OUT = frozenset(
    {
        *(".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".cache"),
        *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".next", ".idea", ".DS_Store"),
    }
)


class Glance(msgspec.Struct, frozen=True):
    branch: str = ""
    commit: str = ""
    names: tuple[str, ...] = ()
    """What lies at the top, folders with a slash; empty where that is too much."""
    lines: tuple[str, ...] = ()
    """A listing of at most `LINES` lines, two levels deep."""
    repository: bool = False
    """The folder is the top of a repository, whose state git can tell."""


def glance(root: Root, denied: Denied = nothing, *, inside: bool = True) -> Glance:
    """Look, also `inside` the folders at the top; what cannot be read, or is `denied`, is left out."""
    try:
        names, more = _entries(root, ".", denied)
        top = repository_of(root)
        branch, commit = _checked_out(root, top) if top is not None else ("", "")
        lines = _lines(root, names, more, denied) if inside else ()
    except (Problem, OSError):
        return Glance()
    shown = () if more or len(names) > NAMES else tuple(names)
    return Glance(branch, commit, shown, lines, top == root.inside)


def description(root: Root, denied: Denied = nothing) -> str:
    """The first paragraph of the project's readme, in one line."""
    body = beginning(root, "README.md", 8_000, denied) or b""
    for paragraph in body.decode(errors="ignore").split("\n\n"):
        words = " ".join(paragraph.split())
        if words and words[0] not in "#<![|-=`>":
            return words if len(words) <= _DESCRIPTION else words[:_DESCRIPTION] + "…"
    return ""


def _entries(root: Root, path: str, denied: Denied) -> tuple[list[str], bool]:
    """Names, folders first; and whether there are more than were looked at."""
    opened = root.open_folder(path, follow=False)
    try:
        with os.scandir(opened) as found:
            seen = list(islice(found, _SCANNED + 1))
            ranked = sorted(
                (not each.is_dir(follow_symlinks=False), each.name)
                for each in seen[:_SCANNED]
                if each.name not in _LEFT_OUT
                and not denied(os.path.normpath(f"{path}/{each.name}"))
            )
    finally:
        os.close(opened)
    names = [harmless(name) + ("" if is_file else "/") for is_file, name in ranked]
    return names, len(seen) > _SCANNED


def harmless(name: str) -> str:
    """A name as one harmless word: bytes that are no text, line breaks and brackets do not get through."""
    text = os.fsencode(name).decode(errors="replace")
    return "".join(each if each.isprintable() and each not in "<>" else "�" for each in text)


def _lines(root: Root, names: list[str], more: bool, denied: Denied) -> tuple[str, ...]:
    if more or len(names) > LINES:
        count = f"{len(names) - LINES + 1:,}{' or more' if more else ''}"
        return (*names[: LINES - 1], f"… and {count} others")
    folders = [name for name in names if name.endswith("/")]
    each = (LINES - len(names)) // len(folders) if folders else 0
    lines: list[str] = []
    for name in names:
        lines.append(name)
        if name.endswith("/") and each and "�" not in name:
            lines += _inner(root, name, each, denied)
    return tuple(lines)


def _inner(root: Root, name: str, most: int, denied: Denied) -> list[str]:
    try:
        inside, _ = _entries(root, name.rstrip("/"), denied)
    except (Problem, OSError):
        return []
    if len(inside) > most:
        inside = [*inside[: most - 1], f"… and {len(inside) - most + 1:,} others"]
    return [f"  {each}" for each in inside]


def _checked_out(root: Root, top: str) -> tuple[str, str]:
    """Branch and commit, of the repository that the folder lies in."""
    with root.top.beneath(top) as above:
        found = repository(above)
    return harmless(found.branch), found.commit[:12]
