"""Where the files of repositories lead git to, read byte for byte as git itself reads them.

A `.git` file names a repository, and a repository's `commondir` another one, whose settings then hold in the folder of
the first. What is new has to lead to where its letters say, past nothing that could be read in two ways; what was
there before is followed as git follows it.
"""

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from bottega.errors import Problem
from bottega.workspaces.confine import PATH_MAX, Root
from bottega.workspaces.git import config, outside
from bottega.workspaces.git.files import is_straight, look
from bottega.workspaces.git.scan import Found

Leading = Literal["pointer", "commondir", "alternates", "store"]
_POINTER = b"gitdir: "
_ENDS = b"\r\n"
_LINE = re.compile(rb"^[^#\n][^\n]*", re.MULTILINE)
_LENDERS = 100
"""Repositories from which one takes objects."""
_HOPS = 20
"""Folders above the workspace in which a repository is looked for."""


def said_by_pointer(content: bytes) -> bytes:
    """The path in a `.git` file; empty: git finds none in it."""
    return content[len(_POINTER) :].rstrip(_ENDS) if content.startswith(_POINTER) else b""


def said_by_commondir(content: bytes) -> bytes:
    return content.rstrip(_ENDS)


def leads(root: Root, path: str, kind: Leading, content: bytes) -> list[str]:
    """The folders that a file of this kind sends git to; `..`: out of the workspace, or nobody can say."""
    folder = os.path.dirname(path)
    if kind == "pointer":
        return [resolved(root, folder, said_by_pointer(content))]
    if kind == "commondir":
        return [resolved(root, folder, said_by_commondir(content))]
    if kind == "store":  # Mercurial ignores newlines after a path, Jujutsu does not
        said = content.rstrip(b"\n") if path.endswith("/sharedpath") else content
        return [resolved(root, folder, said) if os.path.normpath(said) == said else ".."]
    lines = [*islice((each[0] for each in _LINE.finditer(content)), _LENDERS + 1)]
    objects = os.path.dirname(folder)
    if len(lines) > _LENDERS:
        return [".."]
    return [resolved(root, objects, each) if each[:1] != b'"' else ".." for each in lines]


def is_outside(relative: str) -> bool:
    """Whether a path leads out of the folder that it is relative to: a name may begin with two dots as well."""
    return relative == ".." or relative.startswith("../")


def resolved(root: Root, folder: str, said: bytes) -> str:
    """A path that is said in a folder, relative to the workspace and without links; `..`: it leads out."""
    if not 0 < len(said) <= PATH_MAX or b"\0" in said or b"\n" in said:
        return ".."
    if said.strip() != said or not is_straight(said):
        return ".."
    path = os.path.normpath(os.path.join(root.path, folder, os.fsdecode(said)))
    if path != root.path and not path.startswith(root.path.rstrip("/") + "/"):
        return ".."
    try:
        relative = root.relative(path)
        if relative == ".":
            return ""
        return relative if root.canonical(relative) == relative else ".."
    except Problem:
        return ".."


def is_of_worktree(path: str, place: str) -> bool:
    """Whether a `commondir` is where `git worktree` writes it, and leads to the repository that it lies in."""
    above, _, name = path.rpartition("/")
    above = above.rpartition("/")[0]
    return name == "commondir" and above == (f"{place}/worktrees" if place else "worktrees")


Tops = dict[str, set[str]]
"""Repositories, and the folders in which git works with the settings of each: absolute paths, past all links."""


def tops(root: Root, found: Found) -> Tops:
    """Of all repositories that git gets to from the workspace, in it or not."""
    gathered: Tops = {}
    for repository in found.repositories:
        place = os.path.join(root.path, repository).rstrip("/")
        _gather(gathered, place, place)  # a bare one works in itself
        if repository.rpartition("/")[2].lower() == ".git":
            _gather(gathered, place, os.path.dirname(place))
    for at, *works in _ways_in(root, found):
        for place in _and_around(at, gathered):
            _gather(gathered, place, *works)
    for place in list(gathered):
        for common in _commons(place):
            _gather(gathered, common, *gathered[place])
    for place in list(gathered):
        _gather(gathered, place, *_work_trees(place))
    return gathered


def _gather(gathered: Tops, place: str, *works: str) -> None:
    gathered.setdefault(place, set()).update(works)


def _and_around(place: str, known: Tops) -> Iterator[str]:
    """A repository, and those in which it lies as a work tree or a submodule."""
    yield place
    at = os.path.dirname(place)
    while at != os.path.dirname(at):
        if at in known:
            yield at
        at = os.path.dirname(at)


def _ways_in(root: Root, found: Found) -> Iterator[tuple[str, ...]]:
    """Each repository that a `.git` file, a link or a folder above leads to, with where git works then."""
    for pointer in found.pointers:
        seen = look(root, pointer)
        folder = os.path.dirname(os.path.join(root.path, pointer))
        if seen is not None and seen.is_file:
            said = said_by_pointer(seen.content or b"")
            yield from ((place, folder) for place in _real(folder, said))
    for link in found.links:
        if link.lower().endswith(".git"):
            whole = os.path.join(root.path, link)
            yield from ((place, os.path.dirname(whole)) for place in _pointed(whole))
    at = root.path
    for _ in range(_HOPS):
        git = os.path.join(at, ".git")
        if os.path.lexists(git) and not (at == root.path and os.path.isdir(git)):
            yield from ((place, at, root.path) for place in _pointed(git))
            return
        if at == os.path.dirname(at):
            return
        at = os.path.dirname(at)


def _pointed(git: str) -> Iterator[str]:
    """The repository that is called `.git`, or that a file of this name or a link to such a file names."""
    if os.path.isdir(git):
        yield os.path.realpath(git)
    else:
        yield from _real(os.path.dirname(git), said_by_pointer(outside.raw(git)))


def _commons(place: str) -> Iterator[str]:
    yield from _real(place, said_by_commondir(outside.raw(os.path.join(place, "commondir"))))


def _work_trees(place: str) -> Iterator[str]:
    """What the settings of a repository say; those that they include say nothing about it."""
    for name in ("config", "config.worktree"):
        for key, value in config.entries(outside.raw(os.path.join(place, name))) or ():
            if key == "core.worktree" and value and "\0" not in value:
                yield from _real(place, os.fsencode(value))


def _real(folder: str, said: bytes) -> Iterator[str]:
    """Where git gets to, if anywhere: it ends a path at the first NUL, and no path may be longer than the system's."""
    path = said.partition(b"\0")[0]
    if said and len(path) <= PATH_MAX:
        yield os.path.realpath(os.path.join(folder, os.fsdecode(path)))
