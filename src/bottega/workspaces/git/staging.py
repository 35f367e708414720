"""Indexes compared with how they were: for files that git would run, or read as settings, they hold nothing new.

An index may hold there what any index held before, or what is on the disk: that was judged already. Everything else
becomes what it was before, or goes, because `git restore .` would write it, and run it right away.
"""

import os
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bottega.workspaces.confine import Root
from bottega.workspaces.git.contents import index as indexes
from bottega.workspaces.git.contents import staged
from bottega.workspaces.git.contents.staged import LINK, Held, Index
from bottega.workspaces.git.files import look
from bottega.workspaces.git.leading import Tops, tops
from bottega.workspaces.git.scan import Found
from bottega.workspaces.git.sensitive import HOOKS, Targets
from bottega.workspaces.gitfiles import is_refused

Known = dict[str, dict[str, Held]]
"""By the path of an index, what it holds for such files."""
_OF_BARE = ("config", "config.worktree", "commondir", *(f"hooks/{name}" for name in HOOKS))
_UNREADABLE = (ValueError, IndexError, struct.error)


class Changed(NamedTuple):
    path: str
    content: bytes | None
    """None: it cannot be read, and goes."""
    names: tuple[str, ...]
    """What is other than it was; empty: nothing that needs to be told."""


def held(root: Root, found: Found, reached: Targets) -> Known:
    """What all indexes hold now."""
    known: Known = {}
    for path, index, names, _ in _indexes(root, found, reached):
        entries = (_staged(index, names) or staged.Staged()).entries
        known[path] = {name: what for name, stage, what in entries if not stage}
    return known


def judged(
    root: Root, found: Found, reached: Targets, before: Mapping[str, Mapping[str, Held]]
) -> tuple[list[Changed], Known]:
    """What has to be put right, and what all indexes hold afterwards, or have held before."""
    known: Known = {path: dict(each) for path, each in before.items() if each}
    anywhere: dict[str, list[Held]] = {}
    for each in before.values():
        for name, what in each.items():
            anywhere.setdefault(name, []).append(what)
    changes: list[Changed] = []
    for path, index, names, works in _indexes(root, found, reached):
        found_there = _staged(index, names)
        if found_there is None:
            changes.append(Changed(path, None, ("everything",)))
            continue
        entries, in_undo = found_there
        fine = {
            name: what
            for name, stage, what in entries
            if what in anywhere.get(name, ()) or _is_on_disk(root, works, name, what, index.size)
            if not stage
        }
        odd = tuple(dict.fromkeys(n for n, _, what in entries if fine.get(n) != what))
        mine = before.get(path, {})
        puts = {name: mine.get(name) or anywhere[name][0] for name in odd if name in anywhere}
        known[path] = {**mine, **{n: what for n, what in fine.items() if n not in odd}, **puts}
        if odd or in_undo:
            changes.append(Changed(path, staged.changed(index, odd, puts), odd))
    return changes, known


def _staged(index: Index, names: frozenset[bytes]) -> staged.Staged | None:
    try:
        return staged.staged(index, names)
    except _UNREADABLE:
        return None


def _is_on_disk(root: Root, works: set[str], name: str, what: Held, size: int) -> bool:
    for work in works:
        inside = os.path.relpath(os.path.join(work, name), root.path)
        seen = None if inside.startswith("../") else look(root, inside)
        if seen is None or seen.content is None or staged.blob(seen.content, size) != what[1]:
            continue
        is_program = bool(seen.mode & 0o100)
        if (seen.is_link and what[0] == LINK) or (
            seen.is_file and what[0] == (0o100755 if is_program else 0o100644)
        ):
            return True
    return False


def _indexes(
    root: Root, found: Found, reached: Targets
) -> Iterator[tuple[str, Index, frozenset[bytes], set[str]]]:
    """Every index whose work tree has such files, there or not: with their names in it, and where it may be."""
    by_repository = tops(root, found)
    names = _names(root, found, reached, by_repository)
    for repository in found.repositories:
        place = os.path.join(root.path, repository).rstrip("/")
        if wanted := names.get(place):
            index = indexes.read(root, repository)
            if index is not None:
                path = f"{repository}/index" if repository else "index"
                yield path, index, frozenset(wanted), by_repository[place]


def _names(
    root: Root, found: Found, reached: Targets, by_repository: Tops
) -> dict[str, set[bytes]]:
    """By repository, absolute, the names of all such files in its work trees, in small letters."""
    repositories: dict[str, list[str]] = {}
    for place, works in by_repository.items():
        for work in works:
            repositories.setdefault(work, []).append(place)
    names: dict[str, set[bytes]] = {}
    for path in _paths(found, reached):
        whole = os.path.normpath(os.path.join(root.path, path))
        at = os.path.dirname(whole)
        while True:
            for place in repositories.get(at, ()):
                name = os.fsencode(whole[len(at.rstrip("/")) + 1 :]).lower()
                names.setdefault(place, set()).add(name)
            if at == os.path.dirname(at):
                break
            at = os.path.dirname(at)
    return names


def _paths(found: Found, reached: Targets) -> Iterator[str]:
    """Files that git would run or read as settings, and writes; never those of a folder called `.git`."""
    yield from reached.includes
    yield from reached.programs
    for folder in reached.hooks:
        yield from (f"{folder}/{name}" for name in HOOKS)
        if folder.rpartition("/")[2] == "_":
            yield from (os.path.join(os.path.dirname(folder), name) for name in HOOKS)
    for repository in found.repositories:
        if not is_refused(repository):
            yield from (os.path.join(repository, name) for name in _OF_BARE)
