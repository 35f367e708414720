"""What a person wrote, or approved, becomes a part of every baseline of its folder: no guard undoes it.

The baselines are held while the change is made, so nobody compares in between. What is accepted is the content that
the person meant: a program that changes the file at that very moment has changed it afterwards, and that is undone.
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec

from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.git import baseline as baselines
from bottega.workspaces.git import files
from bottega.workspaces.git.baseline import Baseline, Kept
from bottega.workspaces.git.scan import scanner_of
from bottega.workspaces.git.sensitive import of_repositories, of_targets, targets


class Meant(msgspec.Struct):
    """What the person meant to be at each path; what is not said is accepted as it is found."""

    hashes: dict[str, str] = {}
    """The sha256, by path."""
    contents: dict[str, bytes] = {}
    """The content itself where it is known: it is put back if a program was quicker."""


def meant_by(change: Change) -> Meant:
    contents = {edit.path: edit.after for edit in change.edits if edit.after is not None}
    return Meant({path: sha256(each).hexdigest() for path, each in contents.items()}, contents)


Accepting = Callable[[Root, Sequence[str], Meant], AbstractContextManager[None]]
"""`accepting`, of one home."""


@contextmanager
def accepting(state: Path, root: Root, paths: Sequence[str], meant: Meant) -> Generator[None]:
    """While these paths, or all beneath them, are changed by a person's will. Waits for the disk: use a thread.

    `state` is the sandboxes' folder in the home. Where no sandbox is open there is no baseline, and nothing to do.
    """
    whole = [os.path.join(root.path, path) for path in paths]
    with ExitStack() as held:
        known = _around(state, whole)
        for folder in known:
            held.enter_context(baselines.locked(folder))
        yield
        for folder in known:
            _accept(folder, root, whole, meant)
    for folder in _around(state, whole):
        if folder not in known:  # a sandbox was opened meanwhile
            with baselines.locked(folder):
                _accept(folder, root, whole, meant)


def _around(state: Path, paths: Sequence[str]) -> list[Path]:
    """Where the baselines of all workspaces are that one of these paths lies in, always in the same order."""
    found: list[Path] = []
    for file in sorted((state / "git").glob(f"*/{baselines.NAME}")):
        now = baselines.load(file)
        if now and any(_beneath(path, now.folder) for path in paths):
            found.append(file.parent)
    return found


def _accept(state: Path, root: Root, paths: Sequence[str], meant: Meant) -> None:
    now = baselines.load(state / baselines.NAME)
    if now is None:
        return
    try:
        with Root(now.folder) as top:
            if top.identity != (now.device, now.inode):
                return
            fresh = _accepted(now, top, paths, _moved(meant, root, top))
    except (Problem, OSError):
        return  # the folder is gone, or another one
    if fresh != now.files:
        baselines.save(state / baselines.NAME, msgspec.structs.replace(now, files=fresh))


def _moved(meant: Meant, root: Root, top: Root) -> Meant:
    """With paths as they are seen from another workspace."""

    def seen(path: str) -> str:
        return os.path.relpath(os.path.join(root.path, path), top.path)

    return Meant(
        {seen(path): each for path, each in meant.hashes.items()},
        {seen(path): each for path, each in meant.contents.items()},
    )


def _accepted(now: Baseline, top: Root, paths: Sequence[str], meant: Meant) -> dict[str, Kept]:
    changed = [os.path.relpath(path, top.path) for path in paths]
    kept = {path: each for path, each in now.files.items() if not _touched(path, changed)}
    found = scanner_of(top).scan(top)
    reached = targets(top, found).joined(now.includes, now.hooks)
    there = of_targets(top, reached) | of_repositories(top, found)
    for path, kind in there.items():
        file = files.look(top, path)
        if not _touched(path, changed) or file is None or file.is_folder:
            continue
        if meant.hashes.get(path, file.sha) == file.sha:
            kept[path] = Kept.of(file, kind)
        elif path in meant.contents:
            old = now.files.get(path)
            kept[path] = Kept.made(kind, meant.contents[path], old.mode if old else 0o644)
    return kept


def _touched(path: str, changed: Sequence[str]) -> bool:
    return any(_beneath(path, each) for each in changed)


def _beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
