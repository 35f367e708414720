"""What of a workspace no program may change: git's hooks and settings, and Bottega's own files, there or not.

A path that does not exist cannot be shielded, so it is made first (`placeholder`). What is shielded is a mount,
so it can be neither renamed nor replaced; where it lies deeper, every folder above it is pinned by a mount of its own.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from bottega.errors import Refused

OURS = (".bottega.toml", ".bottega")
_MODULES = 100
"""Submodules that may be written to; where there are more, all can only be read."""
_HOOKS_PATH = re.compile(r"^\s*hookspath\s*=\s*\"?([^\"#;\n]+)", re.IGNORECASE | re.MULTILINE)
_ARGUMENTS = {"pin": "--bind", "freeze": "--ro-bind"}


class Shield(msgspec.Struct, frozen=True):
    path: str
    """Absolute."""
    how: Literal["pin", "freeze", "hide"]
    missing: Literal["", "folder", "file"] = ""
    """It is not there: this is made in its place."""
    text: str = ""
    """What that file holds."""

    def arguments(self) -> tuple[str, ...]:
        if self.how == "hide":
            return ("--perms", "0000", "--tmpfs", self.path, "--remount-ro", self.path)
        return (_ARGUMENTS[self.how], self.path, self.path)


def shields(folder: str, hidden: Sequence[str] = ()) -> list[Shield]:
    """In the order in which they are mounted; raises `Refused` for what cannot be shielded."""
    found = [*_git(folder), *_bare(folder)]
    for name in OURS:
        found.append(_frozen(os.path.join(folder, name), "folder"))
    for path in hidden:
        if _beneath(path, folder):
            found += _pinned(path, folder)
            found.append(Shield(path, "hide", "" if os.path.isdir(path) else "folder"))
    return list(dict.fromkeys(found))


def _git(folder: str) -> Iterator[Shield]:
    git = os.path.join(folder, ".git")
    shield = _frozen(git, "folder")
    if shield.missing or not os.path.isdir(git) or not os.listdir(git):
        yield shield  # a worktree's file, nothing at all, or what stands for nothing
        return
    yield Shield(git, "pin")
    yield from _repository(git)
    for place in _hooks_elsewhere(git, folder):
        yield from _pinned(place, folder)
        yield _frozen(place, "folder")


def _repository(git: str) -> Iterator[Shield]:
    """Whatever in a repository makes git run a program, or look for its settings elsewhere."""
    yield _frozen(os.path.join(git, "config"), "file")
    yield _frozen(os.path.join(git, "config.worktree"), "file")
    yield _frozen(os.path.join(git, "commondir"), "file", ".\n")
    yield _frozen(os.path.join(git, "hooks"), "folder")
    yield _frozen(os.path.join(git, "worktrees"), "folder")
    modules = os.path.join(git, "modules")
    yield _frozen(modules, "folder")
    inner = list(_repositories(modules))
    for module in inner if len(inner) <= _MODULES else ():
        yield Shield(module, "pin")
        yield from _repository(module)


def _repositories(folder: str) -> Iterator[str]:
    """The repositories of submodules, whose names may have slashes."""
    if not os.path.isdir(folder):
        return
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.islink(path) or not os.path.isdir(path):
            continue
        if os.path.isfile(os.path.join(path, "HEAD")):
            yield path
        else:
            yield from _repositories(path)


def _bare(folder: str) -> Iterator[Shield]:
    """The folder itself is never to become a repository: git would take its settings from there."""
    head = os.path.join(folder, "HEAD")
    if os.path.isfile(head) and os.path.isdir(os.path.join(folder, "objects")):
        yield from _repository(folder)
    elif os.path.isdir(head) and not os.path.islink(head) and os.listdir(head):
        yield Shield(head, "pin")
    else:
        yield _frozen(head, "folder")


def _hooks_elsewhere(git: str, folder: str) -> Iterator[str]:
    """The folder that the repository's own settings name, if it lies in the workspace."""
    try:
        with open(os.path.join(git, "config"), encoding="utf-8", errors="replace") as file:
            named = _HOOKS_PATH.findall(file.read(1 << 20))
    except OSError:
        return
    for name in named:
        place = os.path.normpath(os.path.join(folder, name.strip()))
        if _beneath(place, folder) and os.path.isdir(place):
            yield place


def _pinned(path: str, folder: str) -> Iterator[Shield]:
    """Every folder between the two; without this one could be renamed, and another put in its place."""
    parents: list[str] = []
    parent = os.path.dirname(path)
    while parent != folder:
        parents.append(parent)
        parent = os.path.dirname(parent)
    for each in reversed(parents):
        yield Shield(each, "pin", "" if os.path.isdir(each) else "folder")


def _frozen(path: str, missing: Literal["folder", "file"], text: str = "") -> Shield:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return Shield(path, "freeze", missing, text)
    if stat.S_ISLNK(found.st_mode):
        raise Refused(
            f"{path!r} is a symbolic link, which a sandbox cannot shield.",
            hint="Put the thing itself there, or open a folder without it.",
        )
    names = os.listdir(path) if stat.S_ISDIR(found.st_mode) else [""]
    for each in (os.path.join(path, name) if name else path for name in names):
        _refuse_shared(each, os.lstat(each))
    return Shield(path, "freeze")


def _refuse_shared(path: str, found: os.stat_result) -> None:
    """By its other name it could be written all the same."""
    if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        raise Refused(
            f"{path!r} has a second name (a hard link), so a sandbox cannot shield it.",
            hint=f"Copy it and put the copy in its place: cp -p {path} {path}.new && mv {path}.new {path}",
        )


def _beneath(path: str, folder: str) -> bool:
    return path != folder and os.path.commonpath([path, folder]) == folder
