"""Indexes compared with how they were: for files that git would run, or read as settings, they hold nothing new.

An index may hold there what any index held before, or what is on the disk: that was judged already. Everything else
becomes what it was before, or goes, because `git restore .` would write it, and run it right away. A name of an object
means what it says only if the object is hashed: git does not do so when it writes a file.
"""

import os
import struct
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from bottega.workspaces.confine import Root
from bottega.workspaces.git import files
from bottega.workspaces.git.contents import index as indexes
from bottega.workspaces.git.contents import objects, staged, trees
from bottega.workspaces.git.contents.staged import LINK, Held, Index
from bottega.workspaces.git.files import look
from bottega.workspaces.git.leading import Tops, is_outside, leads, tops
from bottega.workspaces.git.scan import Found
from bottega.workspaces.git.sensitive import HOOKS, Targets
from bottega.workspaces.gitfiles import is_refused

Known = dict[str, dict[str, Held]]
"""By the path of an index, what it holds for such files."""
_OF_BARE = ("config", "config.worktree", "commondir", *(f"hooks/{name}" for name in HOOKS))
_MOST = 1000
"""Repositories that indexes may make of plain files."""
_DEEPEST = 10
"""Indexes within repositories that an index holds."""
_SPELLINGS = 64
_UNREADABLE = (ValueError, IndexError, struct.error)


class Changed(NamedTuple):
    path: str
    content: bytes | None
    """None: it cannot be read, and goes."""
    names: tuple[str, ...]
    """What is other than it was; empty: nothing that needs to be told."""


class Lie(NamedTuple):
    path: str
    content: bytes | None
    """What it is to be; None: it goes."""
    name: str
    """Of a file for which git would take it."""


def complete(root: Root, found: Found) -> Found:
    """Add the folders that are repositories once an index has been written to the disk as well (`git restore .`).

    What lies there already is judged as a repository's then, and the index may hold no other settings or hooks for it.
    """
    for _ in range(_DEEPEST):
        more = {*islice(_completed(root, found), _MOST)} - found.repositories
        if not more:
            return found
        found.repositories |= more
    found.whole = False
    return found


def _completed(root: Root, found: Found) -> Iterator[str]:
    by_repository, disk = tops(root, found), _Disk(root)
    for repository in found.repositories:
        if any(indexes.misleading(root, repository)):
            continue  # it goes, or was there before
        index = indexes.read(root, repository)
        if index is None:
            continue
        try:
            marks = staged.marks(index)
        except _UNREADABLE:
            continue  # it goes
        for work in by_repository[os.path.join(root.path, repository).rstrip("/")] if marks else ():
            top = os.path.relpath(work, root.path)
            for folder, there in marks.items():
                inside = os.path.normpath(os.path.join(top, os.fsdecode(folder)))
                if not is_outside(inside):
                    yield from disk.completed("" if inside == "." else inside, there)


def linked(root: Root, found: Found) -> Iterator[str]:
    """The folders in which, by what indexes say, another repository lies: `git status` goes into each."""
    by_repository = tops(root, found)
    for repository in found.repositories:
        index = indexes.read(root, repository)
        works = by_repository[os.path.join(root.path, repository).rstrip("/")]
        for name in staged.links(index) if index is not None else ():
            for work in works:
                inside = os.path.relpath(os.path.join(work, name), root.path)
                if not is_outside(inside):
                    yield inside


class _Disk:
    """What is in folders, each of which is listed once: an index may name a million."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._known: dict[str, dict[str, list[str]]] = {}

    def _names(self, path: str) -> dict[str, list[str]]:
        """By what they are in small letters."""
        known = self._known.get(path)
        if known is None:
            known = dict[str, list[str]]()
            try:
                names = files.names(self._root, path) or ()
            except files.Crowded as problem:  # it is no list of git's, and stays as it is
                raise OSError(*problem.args) from None
            for name in names:
                known.setdefault(name.lower(), []).append(name)
            self._known[path] = known
        return known

    def completed(self, inside: str, marks: frozenset[bytes]) -> Iterator[str]:
        """The folder, under the name that it has on the disk, if these marks and those there make it a repository."""
        for path, is_there in self._spellings(inside):
            names = self._names(path) if is_there else {}
            both = marks | {mark for mark in staged.MARKS if os.fsdecode(mark) in names}
            if b"head" in both and (b"commondir" in both or {b"objects", b"refs"} <= both):
                yield path

    def _spellings(self, inside: str) -> list[tuple[str, bool]]:
        """The paths on the disk that are this one in small letters; itself, which is not there, where there is none."""
        found = [("", True)]
        for step in inside.split("/") if inside else ():
            found = [
                (os.path.join(at, name), is_there and step in self._names(at))
                for at, is_there in found
                for name in (is_there and self._names(at).get(step)) or (step,)
            ][:_SPELLINGS]
        return found


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
    changes += _without_tables(root, found, {each.path for each in changes})
    return changes, known


def _without_tables(root: Root, found: Found, changed: Collection[str]) -> Iterator[Changed]:
    """Indexes that would have git commit other trees than they hold."""
    for repository in found.repositories:
        path = f"{repository}/index" if repository else "index"
        index = None if path in changed else indexes.read(root, repository)
        if index is not None and not trees.agrees(index):
            yield Changed(path, staged.changed(index, (), {}), ())
        elif index is not None and staged.is_crowded(index, _MOST):
            yield Changed(path, None, ("everything",))


def lies(root: Root, found: Found, reached: Targets) -> Iterator[Lie]:
    """Objects of what indexes hold for such files, now that they are put right, that have another content."""
    wanted: dict[str, dict[str, tuple[str, set[str]]]] = {}
    for path, index, names, works in _indexes(root, found, reached):
        entries = (_staged(index, names) or staged.Staged()).entries
        for folder in _stores(root, os.path.dirname(path)) if entries else ():
            wanted.setdefault(folder, {}).update(
                (what[1], (name, works)) for name, _, what in entries
            )
    for folder, held_there in wanted.items():
        for path, sha, is_loose in objects.lies(root, folder, held_there):
            name, works = held_there[sha]
            true = _on_disk(root, works, name, sha) if is_loose else None
            content = None if true is None else objects.loose(true)
            yield Lie(path, content, name)


def _on_disk(root: Root, works: Collection[str], name: str, sha: str) -> bytes | None:
    """The content of that hash, if it is in the work tree."""
    for work in works:
        inside = os.path.relpath(os.path.join(work, name), root.path)
        seen = None if is_outside(inside) else look(root, inside)
        content = None if seen is None else seen.content
        if content is not None and staged.blob(content, len(sha) // 2) == sha:
            return content
    return None


def stores(root: Root, found: Found) -> set[str]:
    """All folders of objects in the workspace."""
    return {folder for repository in found.repositories for folder in _stores(root, repository)}


def _stores(root: Root, repository: str) -> set[str]:
    """The folders in the workspace in which git looks for the objects of a repository."""
    place = repository
    common = look(root, os.path.join(repository, "commondir"))
    if common is not None and common.content is not None:
        (place,) = leads(root, os.path.join(repository, "commondir"), "commondir", common.content)
    left, found = [os.path.join(place, "objects")], set[str]()
    while left:
        folder = left.pop()
        if folder in found or is_outside(folder):
            continue
        found.add(folder)
        path = os.path.join(folder, "info/alternates")
        named = look(root, path)
        if named is not None and named.content is not None:
            left += leads(root, path, "alternates", named.content)
    return found


def _staged(index: Index, names: frozenset[bytes]) -> staged.Staged | None:
    try:
        return staged.staged(index, names)
    except _UNREADABLE:
        return None


def _is_on_disk(root: Root, works: set[str], name: str, what: Held, size: int) -> bool:
    for work in works:
        inside = os.path.relpath(os.path.join(work, name), root.path)
        seen = None if is_outside(inside) else look(root, inside)
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
