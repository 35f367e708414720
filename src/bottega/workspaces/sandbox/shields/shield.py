"""What of a workspace no program may change: git's hooks and settings, and Bottega's own files, where they exist.

What is shielded is a mount, so it can be neither renamed nor replaced; where it lies deeper, every folder above it is
pinned by a mount of its own. Nothing is made for it: what is not there cannot be a mount, and is found afterwards if
programs make it (`workspaces.git`). So are repositories beneath: theirs can be deleted by whoever works here.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Literal

import msgspec

from bottega.errors import Refused
from bottega.workspaces.confine import PATH_MAX
from bottega.workspaces.entries import entries

OURS = (".bottega.toml", ".bottega")
_INNER = 100
"""Submodules and worktrees that may be written to; where there are more, all can only be read."""
_ARGUMENTS = {"pin": "--bind", "freeze": "--ro-bind"}
_FOLDERS = 2_000
"""Folders that are looked at for them."""
_DEEPEST = 100
"""Steps of a path to one of them."""
_FROZEN = 10_000
"""Files in a folder that can only be read: each is looked at."""
_TOLD = 80_000
"""Bytes that the warden is told about them: it is one message."""
_OTHERS = (
    *((".hg", "hgrc"), (".hg", "hgrc-not-shared"), (".jj", "workspace-config.toml")),
    *((".jj", "repo", "config.toml"), (".jj", "repo", "workspace-config.toml")),
)
"""Settings of Mercurial and Jujutsu."""
_RULING = ("config", "config.worktree", "commondir", "hooks", "remotes", "branches")
"""Whatever in a repository makes git run a program, or look for its settings elsewhere."""


class Shield(msgspec.Struct, frozen=True):
    path: str
    """Absolute."""
    how: Literal["pin", "freeze", "hide"]

    def arguments(self) -> tuple[str, ...]:
        if self.how == "hide":
            return ("--perms", "0000", "--tmpfs", self.path, "--remount-ro", self.path)
        return (_ARGUMENTS[self.how], self.path, self.path)


def shields(folder: str, hidden: Sequence[str] = (), targets: Iterable[str] = ()) -> list[Shield]:
    """In the order in which they are mounted; raises `Refused` for what cannot be shielded.

    `targets` are files and folders that the repository's settings lead to, relative to the workspace.
    """
    found = [*_git(folder), *_bare(folder)]
    for name in sorted(targets):
        place = os.path.normpath(os.path.join(folder, name))
        if _beneath(place, folder) and not _through_link(place, folder) and os.path.lexists(place):
            found += [*_pinned(place, folder), *_frozen(place)]
    for steps in _OTHERS:
        place = os.path.join(folder, *steps)
        if os.path.lexists(place) and not _through_link(place, folder):
            found += [*_pinned(place, folder), *_frozen(place)]
    for name in OURS:
        found += _frozen(os.path.join(folder, name))
    for path in hidden:
        if _beneath(path, folder) and os.path.isdir(path):
            found += [*_pinned(path, folder), Shield(path, "hide")]
    return _in_order(found)


def _in_order(found: Iterable[Shield]) -> list[Shield]:
    """Each path once. A pin comes before what lies beneath it, and never undoes a freeze around it."""
    best: dict[str, Shield] = {}
    for each in found:
        if each.path not in best or best[each.path].how == "pin":
            best[each.path] = each
    frozen = {path for path, each in best.items() if each.how != "pin"}
    return [
        each
        for path, each in sorted(best.items())
        if each.how == "hide" or not any(_beneath(path, above) for above in frozen)
    ]


def _git(folder: str) -> Iterator[Shield]:
    git = os.path.join(folder, ".git")
    if os.path.isdir(git) and not os.path.islink(git):
        yield Shield(git, "pin")
        yield from _repository(git)
    else:
        yield from _frozen(git)  # a worktree's or a submodule's file


def _repository(git: str) -> Iterator[Shield]:
    for name in _RULING:
        yield from _frozen(os.path.join(git, name))
    for place in (os.path.join(git, "modules"), os.path.join(git, "worktrees")):
        if os.path.islink(place):
            yield from _frozen(place)  # which refuses it
        inner = _inner(place, git)
        yield from _frozen(place) if inner is None else inner


def _inner(place: str, git: str) -> list[Shield] | None:
    """The shields of all repositories in a folder of another one; None: there are too many."""
    repositories = _repositories(place)
    if repositories is None:
        return None
    found: list[Shield] = []
    for each in repositories:
        found += [*_pinned(each, git), *_of_work_tree_elsewhere(each, git)]
        if Shield(each, "freeze") not in found[-1:]:
            found += [Shield(each, "pin"), *_repository(each)]
        if sum(len(json.dumps(os.path.relpath(one.path, git))) + 90 for one in found) > _TOLD:
            return None
    return found


def _of_work_tree_elsewhere(repository: str, git: str) -> Iterator[Shield]:
    """What a work tree outside of the folder is known by: nobody works in it from here, and `git gc` finds it gone."""
    try:
        with open(os.path.join(repository, "gitdir"), "rb") as file:
            said = os.fsdecode(file.read(PATH_MAX).rstrip(b"\r\n"))
        place = os.path.realpath(os.path.join(repository, said))
    except (OSError, ValueError):
        return
    if os.path.basename(os.path.dirname(repository)) == "worktrees" and not _beneath(
        place, os.path.dirname(git) if os.path.basename(git) == ".git" else git
    ):
        with suppress(Refused):  # it is too large, or has links, and is shielded in parts
            yield from _frozen(repository)


def _repositories(place: str) -> list[str] | None:
    """The repositories of submodules and worktrees, whose names may have slashes; None: there are too many."""
    found: list[str] = []
    left = [place] if os.path.isdir(place) else []
    for folder in left:  # which grows meanwhile
        with os.scandir(folder) as entries:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in folders:
            is_repository = os.path.isfile(os.path.join(path, "HEAD"))
            (found if is_repository else left).append(path)
        if len(found) > _INNER or len(left) > _FOLDERS or folder.count("/") > _DEEPEST:
            return None
    return found


def _bare(folder: str) -> Iterator[Shield]:
    """The folder itself may be a repository."""
    if os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(
        os.path.join(folder, "objects")
    ):
        yield from _repository(folder)


def _pinned(path: str, folder: str) -> Iterator[Shield]:
    """Every folder between the two; without this one could be renamed, and another put in its place."""
    parents: list[str] = []
    parent = os.path.dirname(path)
    while parent != folder:
        parents.append(parent)
        parent = os.path.dirname(parent)
    for each in reversed(parents):
        yield Shield(each, "pin")


def _through_link(path: str, folder: str) -> bool:
    """A link on the way cannot be pinned; where it leads to is looked at afterwards."""
    while path != folder:
        if os.path.islink(path):
            return True
        path = os.path.dirname(path)
    return False


def _frozen(path: str) -> Iterator[Shield]:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise Refused(
            f"{path!r} is a symbolic link, which a sandbox cannot shield.",
            hint="Put the thing itself there, or open a folder without it.",
        )
    inside, whole = entries(path, _FROZEN) if stat.S_ISDIR(found.st_mode) else ([], True)
    if not whole:
        raise Refused(f"{path!r} holds more than {_FROZEN:,} names, so a sandbox cannot shield it.")
    for each in [entry.path for entry in inside] or [path]:
        _refuse_shared(each, os.lstat(each))
    yield Shield(path, "freeze")


def _refuse_shared(path: str, found: os.stat_result) -> None:
    """By its other name it could be written all the same."""
    if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        raise Refused(
            f"{path!r} has a second name (a hard link), so a sandbox cannot shield it.",
            hint=f"Copy it and put the copy in its place: cp -p {path} {path}.new && mv {path}.new {path}",
        )


def _beneath(path: str, folder: str) -> bool:
    return path != folder and os.path.commonpath([path, folder]) == folder


def identities(shields: Sequence[Shield]) -> dict[str, tuple[int, int]]:
    """Which file each shield was put on. A file that is replaced from outside takes its shield away with it."""
    found: dict[str, tuple[int, int]] = {}
    for shield in shields:
        try:
            seen = os.lstat(shield.path)
        except OSError:
            found[shield.path] = (0, 0)
        else:
            found[shield.path] = (seen.st_dev, seen.st_ino)
    return found
