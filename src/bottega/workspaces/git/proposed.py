"""What a change of files would do to git: whether it runs one of them, or takes settings from one, once it is made.

A program's files are looked at afterwards (`guard`); those that a tool is about to write are looked at before, and a
person decides. Only paths count, not contents: what a hook does is the person's to read.
"""

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bottega.errors import Problem, Refused
from bottega.workspaces.confine import Root
from bottega.workspaces.git.scan import scanner_of
from bottega.workspaces.git.sensitive import (
    HOOKS,
    OTHERS,
    OURS,
    of_repositories,
    of_targets,
    targets,
)
from bottega.workspaces.gitfiles import INSIDE, repository_around
from bottega.workspaces.problems import shown


class Planted(Refused):
    """Files that were written meanwhile make this one something that git would run."""

    code = "planted"


def danger(root: Root, paths: Sequence[str]) -> str:
    """Why a person has to be asked before these canonical paths are written; empty: no reason. Waits for the disk."""
    for path in paths:
        if is_of_project(path):
            return f"Bottega would read {shown(path)} as settings of this folder"
    return version_control_danger(root, paths)


def version_control_danger(root: Root, paths: Sequence[str]) -> str:
    """The same, as far as git, Mercurial and Jujutsu are concerned."""
    for path in paths:
        if not OTHERS.keys().isdisjoint(_folded(path).split("/")):
            return (
                f"Mercurial or Jujutsu would read {shown(path)},"
                " which can run programs outside the sandbox"
            )
    if repository := _repository(root, paths):
        return _TAKEN.format(repository)
    found = scanner_of(root).scan(root)
    reached = targets(root, found)
    if not found.whole:
        return "not all of the folder could be looked at for what git would run"
    there = of_targets(root, reached) | of_repositories(root, found)
    known = {_folded(path): kind for path, kind in there.items()}
    includes = {_folded(each) for each in _both(root, reached.includes)}
    hooks = [_folded(each) for each in _both(root, reached.hooks)]
    known |= {_folded(each): "hook" for each in _both(root, reached.programs)}
    found_at = (_harm(path, known, includes, hooks) for path in paths)
    return next(filter(None, found_at), "")


def _harm(path: str, known: Mapping[str, str], includes: set[str], hooks: list[str]) -> str:
    """What git would do with a file or a folder at this path."""
    name = _folded(path)
    if known.get(name) == "hook" or any(_is_hook(name, each) for each in hooks):
        return f"git would run {shown(path)} outside the sandbox"
    if name in includes or name in known:
        return (
            f"git would read {shown(path)} as settings, which can run programs outside the sandbox"
        )
    if any(each.startswith(f"{name}/") for each in (*includes, *hooks, *known)):
        return (
            f"git would read settings in {shown(path)}, or run what is there, outside the sandbox"
        )
    return ""


def is_of_project(path: str) -> bool:
    """Whether Bottega would read it as settings of the project."""
    return path.rpartition("/")[2].casefold() == OURS or path.casefold().startswith(".bottega/")


def refuse_plant(root: Root, path: str) -> None:
    """Refuse an old content where git would run it by now: a program may have written it while it was only text."""
    if why := danger(root, (path,)):
        raise Planted(
            f"{shown(path)} was left as it is: {why}.",
            hint="`bottega changes --diff` shows what to undo by hand.",
        )


def refuse_repository(root: Root, paths: Sequence[str]) -> None:
    """Refuse what has just been written where nobody was asked, and git takes a folder around it for a repository.

    Several changes may each be harmless, and be made at once: whoever is the last of them sees the whole.
    """
    if repository := _repository(root, paths):
        raise Planted(
            f"{_TAKEN.format(repository)}; nothing was written.",
            hint="Make the change again: a person is asked then.",
        )


_TAKEN = "git would take the folder {} for a repository, and run what its settings and hooks name outside the sandbox"


def _repository(root: Root, paths: Sequence[str]) -> str:
    """The folder that is a repository, or would be one once these paths are there, and that one of them belongs to."""
    added = {"/".join(steps) for path in paths for steps in _prefixes(_folded(path))}
    for path in paths:
        parts = path.split("/")
        for depth in range(len(parts)):
            folder = "/".join(parts[:depth])
            is_part = depth > 0 or parts[0].casefold() in INSIDE
            if is_part and _is_repository(root, folder, added):
                return shown(folder or ".")
    return shown(above) if (above := repository_around(root.path)) else ""


def _prefixes(path: str) -> Iterator[list[str]]:
    parts = path.split("/")
    return (parts[:depth] for depth in range(1, len(parts) + 1))


def _is_repository(root: Root, folder: str, added: set[str]) -> bool:
    prefix = f"{folder}/" if folder else ""

    def has(name: str) -> bool:
        return _folded(prefix + name) in added or _exists(root, prefix + name)

    return has("HEAD") and (has("commondir") or has("objects") and has("refs"))


def _exists(root: Root, path: str) -> bool:
    try:
        folder, name = root.open_parent(path)
    except (Problem, OSError):
        return False
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return True
    except OSError:
        return False
    finally:
        os.close(folder)


def _is_hook(path: str, folder: str) -> bool:
    """Whether it lies in a folder of hooks: what is beside them is theirs to call."""
    place, _, name = path.rpartition("/")
    if folder == ".":
        return not place and name in HOOKS
    if path == folder or path.startswith(f"{folder}/"):
        return True
    above, _, last = folder.rpartition("/")
    return last == "_" and place == above and name in HOOKS  # husky runs these from there


def _both(root: Root, paths: Iterable[str]) -> Iterator[str]:
    """Each path as settings spell it, and where it leads to."""
    for path in paths:
        yield path
        try:
            yield root.canonical(path)
        except (Problem, OSError):
            continue


def _folded(path: str) -> str:
    """As disks compare names that do not tell capital letters apart."""
    return unicodedata.normalize("NFKC", path).casefold()
