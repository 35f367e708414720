"""What is in a folder of a project, page by page and a few levels deep, and what of it git ignores.

Links are named and never entered, and neither is what git ignores: it can be asked for by its own path.
"""

import os

import msgspec

from bottega.errors import Problem
from bottega.projects.files.limits import ENTRIES
from bottega.workspaces.changes.leftovers import is_passing
from bottega.workspaces.confine import Entry, Kind, Root
from bottega.workspaces.listing import listing
from bottega.workspaces.watch.ignore import Effort
from bottega.workspaces.watch.walk import Rules, is_ignored, is_text, rules_in

DEEPEST = 3


class Item(msgspec.Struct, frozen=True):
    name: str
    path: str
    """From the project; empty: its name is no text, and it can only be reached by a command."""
    kind: Kind
    size: int
    ignored: bool
    target: str = ""
    """Where a link points, as it is written there."""
    entries: "tuple[Item, ...] | None" = None
    """Of a folder that was looked into."""
    total: int = 0
    """How many such a folder has."""


class Tree(msgspec.Struct, frozen=True):
    path: str
    entries: tuple[Item, ...]
    total: int
    """How many entries the folder has."""
    whole: bool
    """False: it has even more, which cannot be listed."""
    next: int | None
    """Where the next page begins; None: there is none."""


def tree(root: Root, path: str, depth: int = 1, start: int = 0, limit: int = ENTRIES) -> Tree:
    """The folder that the path leads to. Waits for the disk."""
    canonical = root.canonical(path or ".")
    prefix = "" if canonical == "." else f"{canonical}/"
    effort = Effort()
    rules, hidden = _above(root, prefix, effort)
    looking = _Look(root, limit, effort)
    opened = root.open_folder(canonical, follow=False)
    try:
        found = listing(opened, limit, start)
        named = [each for each in found.entries if not is_passing(os.fsencode(each.name))]
    finally:
        os.close(opened)
    looking.room -= len(found.entries)
    items = tuple(looking.item(each, prefix, rules, hidden=hidden, depth=depth) for each in named)
    end = start + len(found.entries)
    next_page = end if end < found.total else None
    return Tree(canonical, items, found.total, found.whole, next_page)


def containers(root: Root, most: int = ENTRIES) -> list[str]:
    """The folders right in the project that work may be done in: none that git ignores, none that is hidden."""
    return [
        item.name
        for item in tree(root, ".", limit=most).entries
        if item.kind == "folder"
        and item.path
        and not item.ignored
        and not item.name.startswith(".")
    ]


class _Look:
    def __init__(self, root: Root, room: int, effort: Effort) -> None:
        self._root = root
        self._effort = effort
        self.room = room
        """How many more entries may be named."""

    def item(self, entry: Entry, prefix: str, rules: Rules, *, hidden: bool, depth: int) -> Item:
        path = prefix + entry.name
        folder = entry.kind == "folder"
        known = is_text(path)
        ignored = (
            hidden or (folder and entry.name == ".git") or is_ignored(path, rules, folder=folder)
        )
        inner, total = None, 0
        if folder and known and not ignored and depth > 1 and self.room > 0:
            inner, total = self._inner(path, rules, depth - 1)
        return Item(
            _said(entry.name),
            path if known else "",
            entry.kind,
            entry.size,
            ignored,
            _said(entry.target),
            inner,
            total,
        )

    def _inner(self, path: str, rules: Rules, depth: int) -> tuple[tuple[Item, ...] | None, int]:
        try:
            opened = self._root.open_folder(path, follow=False)
        except (Problem, OSError):  # it went, or may not be read
            return None, 0
        try:
            found = listing(opened, self.room)
            own = rules_in(opened, self._effort)
        finally:
            os.close(opened)
        self.room -= len(found.entries)
        prefix = f"{path}/"
        if own:
            rules = ((len(prefix), own), *rules)
        named = (each for each in found.entries if not is_passing(os.fsencode(each.name)))
        items = tuple(self.item(each, prefix, rules, hidden=False, depth=depth) for each in named)
        return items, found.total


def _above(root: Root, prefix: str, effort: Effort) -> tuple[Rules, bool]:
    """The rules that hold in a folder, and whether it is ignored itself."""
    rules: Rules = ()
    hidden = False
    steps = prefix.split("/")[:-1]
    for depth in range(len(steps) + 1):
        at = "/".join(steps[:depth])
        hidden = hidden or bool(
            at and (steps[depth - 1] == ".git" or is_ignored(at, rules, folder=True))
        )
        opened = root.open_folder(at or ".", follow=False)
        try:
            own = rules_in(opened, effort)
        finally:
            os.close(opened)
        if own:
            rules = ((len(at) + bool(at), own), *rules)
    return rules, hidden


def _said(name: str) -> str:
    """A name as text, whatever bytes it is made of."""
    return os.fsencode(name).decode("utf-8", "replace")
