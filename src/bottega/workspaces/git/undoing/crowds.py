"""A list of git's with more names than can be looked at: it is put aside, with all in it that was not there before.

Nothing of it is lost, and git reads nothing under the name that it gets. Packs stay where they are, for a person's may
be among them: there only what git makes of packs goes.
"""

import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

from bottega.errors import Problem
from bottega.ids import fresh
from bottega.workspaces.confine import Root
from bottega.workspaces.git import files
from bottega.workspaces.git.baseline import Baseline
from bottega.workspaces.git.contents import objects
from bottega.workspaces.git.sensitive import is_table
from bottega.workspaces.git.undoing.reports import shown

_log = logging.getLogger(__name__)
_LIST = re.compile(
    r"hooks|remotes|branches|rebase-merge|rebase-apply|sequencer|rr-cache|worktrees|refs/replace"
    r"|objects/info/commit-graphs|objects/pack/multi-pack-index\.d"
)
"""In a repository: none of what is new in them stays where it is looked at."""
_PACKS = "objects/pack"
_ASIDE = (
    "Undone: {folder!r} held more names than can be looked at, and is {aside!r} now, which git does not read; what git"
    " read of it before a command ran is where it was. Delete the other one when nobody needs it."
)
_TABLES = (
    "Undone: {folder!r} held more tables of packs than can be looked at. Those that were not there before a command ran"
    " are gone; the packs are there, and `git index-pack` makes the table of each anew."
)
_MADE = (
    "Undone: {folder!r} held more than can be looked at. What git makes of packs to be quicker is"
    " gone; it makes it anew."
)


def undone(root: Root, crowd: files.Crowded, before: Baseline, knows: Callable[[str], bool]) -> str:
    """What was done, in a sentence; empty: nothing can be. Raises `OSError` or a `Problem`.

    `knows` says of a file of objects whether it was there before.
    """
    path, repository = crowd.path, crowd.repository
    if path == _PACKS or path.endswith(f"/{_PACKS}"):
        return _thinned(root, path, before, knows)
    if repository is None:
        return ""
    prefix = f"{repository}/" if repository else ""
    folder = _list_of(path, prefix)
    if not folder or not _is_folder(root, folder):
        return ""
    aside = f"{prefix}bottega-aside-{fresh('c')[-12:]}"
    _move(root, folder, aside)
    for each in _known(folder, before, whole=folder == f"{prefix}worktrees"):
        try:
            _move(root, aside + each[len(folder) :], each)
        except (OSError, Problem) as problem:  # a command has taken it away, perhaps
            _log.warning("%r was not put back: %r", each, problem)
    return _ASIDE.format(folder=shown(folder), aside=shown(aside))


def _list_of(path: str, prefix: str) -> str:
    """The list that is too long, or holds what is; empty: it is none of those that may be put aside."""
    if not path.startswith(prefix):
        return ""
    inside = path[len(prefix) :]
    if found := _LIST.match(inside):
        return prefix + found[0] if inside[found.end() :][:1] in ("", "/") else ""
    return path if inside.startswith("refs/") and inside.count("/") > files.DEEPEST else ""


def _is_folder(root: Root, path: str) -> bool:
    seen = files.glance(root, path)
    return seen is not None and seen.is_folder


def _known(folder: str, before: Baseline, *, whole: bool) -> Iterator[str]:
    """What was in it before: each file that is known, or the `whole` folders in which these lie."""
    inside = (path for path in before.files if path.startswith(f"{folder}/"))
    if not whole:
        return inside
    depth = folder.count("/") + 2
    return iter(dict.fromkeys("/".join(path.split("/")[:depth]) for path in inside))


def _move(root: Root, source: str, target: str) -> None:
    """Past no link, whatever the modes of our folders say."""
    with ExitStack() as held:
        above, name = root.open_parent(source)
        held.callback(os.close, above)
        made, called = root.open_parent(target, [])
        held.callback(os.close, made)
        itself = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
        held.callback(os.close, itself)
        for each in (above, made, itself):
            held.enter_context(files.opened_up(each))
        os.rename(name, called, src_dir_fd=above, dst_dir_fd=made)


def _thinned(root: Root, folder: str, before: Baseline, knows: Callable[[str], bool]) -> str:
    def is_made(path: str) -> bool:
        return is_table(path[len(folder) + 1 :]) and path not in before.files

    def is_new(path: str) -> bool:
        return objects.is_table(path) and not knows(path)

    for goes, said in ((is_made, _MADE), (is_new, _TABLES)):
        count = 0
        for path in filter(goes, files.walked(root, folder, deep=False)):
            files.remove(root, path)
            count += 1
        if count:
            return said.format(folder=shown(folder))
    return ""
