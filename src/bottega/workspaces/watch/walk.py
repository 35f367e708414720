"""Every file of a workspace that git would not ignore, with what tells whether it has changed.

No link is followed and nothing is opened but folders and `.gitignore` files: each folder is opened beneath its parent.
"""

import os
import stat
from contextlib import suppress

from bottega.workspaces.changes.leftovers import is_passing
from bottega.workspaces.confine import Root
from bottega.workspaces.entries import MOST, entries, in_order, name_of
from bottega.workspaces.problems import explained
from bottega.workspaces.watch.ignore import LARGEST, Effort, Ignore

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_DEEPEST = 64
_LOOKED_AT = 500_000
"""Entries of all folders that are looked at, whether they are ignored or not."""

Rules = tuple[tuple[int, Ignore], ...]
"""Each `.gitignore` on the way, the nearest first, with the length of the path to its folder."""


class Walked:
    def __init__(self, most: int) -> None:
        self.files: dict[str, os.stat_result] = {}
        self.odd: list[str] = []
        """Files whose names are no text: nothing can be said of them in a log."""
        self.whole = True
        """False: there are more files, or deeper folders, than are looked at."""
        self.most = most
        self.room = _LOOKED_AT
        self.effort = Effort()


def walk(root: Root, most: int) -> Walked:
    """At most `most` files. Waits for the disk."""
    walked = Walked(most)
    opened = root.open_folder()
    try:
        _folder(opened, "", (), walked)
    except OSError as problem:
        raise explained(problem, root.path) from None
    finally:
        os.close(opened)
    return walked


def _folder(opened: int, path: str, rules: Rules, walked: Walked) -> None:
    found, whole = entries(opened, min(walked.room, MOST))
    walked.room -= len(found)
    walked.whole &= whole
    if (not whole or any(entry.name == ".gitignore" for entry in found)) and (
        own := rules_in(opened, walked.effort)
    ):
        rules = ((len(path), own), *rules)
    folders: list[str] = []
    for entry in in_order(found, name_of):
        name = entry.name
        if name == ".git":
            continue
        if entry.is_dir(follow_symlinks=False):
            if not is_ignored(path + name, rules, folder=True):
                folders.append(name)
        elif entry.is_file(follow_symlinks=False) and not is_ignored(
            path + name, rules, folder=False
        ):
            if len(walked.files) >= walked.most:
                walked.whole = False
                return
            _file(entry, path, walked)
    found.clear()  # its room is needed for what is below
    for name in folders:
        _inner(opened, name, path, rules, walked)


def _inner(opened: int, name: str, path: str, rules: Rules, walked: Walked) -> None:
    if path.count("/") >= _DEEPEST or len(walked.files) >= walked.most:
        walked.whole = False
        return
    try:
        inner = os.open(name, _FOLDER, dir_fd=opened)
    except OSError:  # it went, became a link, or may not be read
        return
    try:
        _folder(inner, f"{path}{name}/", rules, walked)
    finally:
        os.close(inner)


def _file(entry: "os.DirEntry[str]", path: str, walked: Walked) -> None:
    name = entry.name
    if name.startswith(".bottega-") and is_passing(os.fsencode(name)):
        return
    if not name.isascii() and not is_text(path + name):
        walked.odd.append(path + name)
        return
    with suppress(OSError):  # it went meanwhile
        walked.files[path + name] = entry.stat(follow_symlinks=False)


def is_ignored(path: str, rules: Rules, *, folder: bool) -> bool:
    """Whether the rules say so of a path from the workspace."""
    for start, rule in rules:
        said = rule.verdict(path[start:], folder=folder)
        if said is not None:
            return said
    return False


def rules_in(opened: int, effort: Effort) -> Ignore | None:
    """What the `.gitignore` of an open folder says; None: there is none that can be read."""
    try:
        file = os.open(".gitignore", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        return Ignore(os.read(file, LARGEST).decode("utf-8", "replace"), effort)
    except OSError:
        return None
    finally:
        os.close(file)


def is_text(path: str) -> bool:
    """Whether a path can be said in a log, rather than being mere bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
