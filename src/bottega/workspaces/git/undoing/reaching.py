"""Every repository of a folder; those that count are looked at even where a crowd keeps the rest from being."""

import logging
from collections.abc import Collection, Iterable, Iterator

from bottega.workspaces.confine import Identity, Root
from bottega.workspaces.git import staging
from bottega.workspaces.git.baseline import Baseline
from bottega.workspaces.git.files import glance
from bottega.workspaces.git.scan import Found, Scanner

_log = logging.getLogger(__name__)
_DEEPEST = 10
"""Repositories within repositories, by what indexes say."""


def found(
    scanner: Scanner,
    root: Root,
    before: Baseline | None,
    wanted: Collection[Identity] = (),
) -> Found:
    """All, or at least those that were there before, and those into which git goes from them."""
    if before is None:
        return scanner.scan(root, wanted=wanted)
    found = scanner.scan(root, wanted=wanted, known=_known(before))
    if not found.whole:
        _add_nested(scanner, root, before, found)
    return found


def at_least(scanner: Scanner, root: Root, before: Baseline) -> Found:
    """The same, where the folder may not be looked through at all."""
    try:
        return found(scanner, root, before)
    except Exception as problem:
        _log.warning("%r could not be looked through: %r", root.path, problem)
    seen = ((each, glance(root, each)) for each in _known(before) if each)
    places = {each for each, now in seen if now is not None and now.is_folder}
    known = Found(repositories=places | ({""} & before.repositories), whole=False)
    try:
        _add_nested(scanner, root, before, known)
    except Exception as problem:
        _log.warning("%r could not be looked through: %r", root.path, problem)
    return known


def _known(before: Baseline) -> set[str]:
    return {".git"} | before.repositories


def _add_nested(scanner: Scanner, root: Root, before: Baseline, found: Found) -> None:
    ways = Found(repositories=_known(before) & found.repositories)
    ways.pointers = found.pointers & before.files.keys()
    ways.links = found.links & before.files.keys()
    done = set(ways.repositories)
    for _ in range(_DEEPEST):
        more = {*_entered(root, staging.linked(root, ways), found)} - done
        if not more:
            return
        done |= more
        scanner.add(root, more, found)
        ways = Found(repositories=more)
    found.whole = False


def _entered(root: Root, folders: Iterable[str], found: Found) -> Iterator[str]:
    """The repositories in these folders; files and links that stand for one are noted."""
    for folder in folders:
        path = f"{folder}/.git"
        seen = glance(root, path)
        if seen is None:
            continue
        if seen.is_folder:
            yield path
        elif seen.is_link:
            found.links.add(path)
        else:
            found.pointers.add(path)
