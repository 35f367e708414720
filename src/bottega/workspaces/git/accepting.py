"""What a person wrote, or approved, becomes a part of every baseline of its folder: no guard undoes it.

The baselines are held while the change is made, so nobody compares in between. What is accepted is the content that
the person meant: a program that changes the file at that very moment has changed it afterwards, and that is undone.
Whoever gives a folder another name means what was known of it, and not what a program has just put there.
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
from bottega.workspaces.git.scan import Scanner, scanner_of
from bottega.workspaces.git.sensitive import of_repositories, of_targets, targets
from bottega.workspaces.git.undoing import rights


class Meant(msgspec.Struct):
    """What the person meant to be at each path; what is not said is not accepted."""

    hashes: dict[str, str] = {}
    """The sha256, by path."""
    contents: dict[str, bytes] = {}
    """The content itself where it is known: it is put back if a program was quicker."""
    moved: tuple[str, str] | None = None
    """From where to where: what was known beneath the one is known beneath the other."""


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
        moved = _Moved.of(root, meant, known)
        yield
        for folder in known:
            _accept(folder, root, whole, meant, moved)
    for folder in _around(state, whole):
        if folder not in known:  # a sandbox was opened meanwhile
            with baselines.locked(folder):
                _accept(folder, root, whole, meant, moved)


class _Moved(msgspec.Struct):
    """What is known of a folder that gets another name; both are absolute paths."""

    source: str
    target: str
    files: dict[str, Kept]
    """By path beneath it."""
    by_baseline: dict[Path, dict[str, Kept]]
    """The same, as each baseline that it lies in has it."""

    @classmethod
    def of(cls, root: Root, meant: Meant, known: Sequence[Path]) -> "_Moved | None":
        """Before it is moved."""
        if meant.moved is None:
            return None
        source, target = (os.path.join(root.path, each) for each in meant.moved)
        told = dict[Path, dict[str, Kept]]()
        for folder in known:
            now = baselines.load(folder / baselines.NAME)
            if now is not None and _beneath(source, now.folder):
                inside = (
                    (os.path.join(now.folder, path), each) for path, each in now.files.items()
                )
                told[folder] = {
                    os.path.relpath(path, source): each
                    for path, each in inside
                    if _beneath(path, source)
                }
        there = next(iter(told.values()), None)
        if there is None:
            there = _as_it_is(source) if known else {}
        return cls(source, target, there, told)

    def entries(self, state: Path, top: str) -> dict[str, Kept]:
        """Under the new name, as it is seen from another folder."""
        found = self.by_baseline.get(state, self.files)
        return {
            os.path.relpath(os.path.normpath(os.path.join(self.target, path)), top): (
                msgspec.structs.replace(each, guarded=False)
            )
            for path, each in found.items()
            if _beneath(self.target, top)
        }

    def places(self, paths: Sequence[str], top: str) -> tuple[str, ...]:
        """These, relative to the other folder, and where those of them are now that have moved."""
        whole = [os.path.join(top, path) for path in paths]
        after = [
            os.path.relpath(os.path.join(self.target, os.path.relpath(path, self.source)), top)
            for path in whole
            if _beneath(path, self.source) and _beneath(self.target, top)
        ]
        return tuple(sorted({*paths, *map(os.path.normpath, after)}))


def _as_it_is(folder: str) -> dict[str, Kept]:
    """Of a folder in which no program runs."""
    try:
        with Root(folder) as root:
            there = of_repositories(root, Scanner().scan(root))
            seen = {path: files.look(root, path) for path in there}
    except (Problem, OSError):
        return {}
    return {path: Kept.of(file, there[path]) for path, file in seen.items() if file is not None}


def _around(state: Path, paths: Sequence[str]) -> list[Path]:
    """Where the baselines of all workspaces are that one of these paths lies in, always in the same order."""
    found: list[Path] = []
    rights.claim(state)
    for file in sorted((state / "git").glob(f"*/{baselines.NAME}")):
        now = baselines.load(file)
        if now and any(_beneath(path, now.folder) for path in paths):
            found.append(file.parent)
    return found


def _accept(
    state: Path, root: Root, paths: Sequence[str], meant: Meant, moved: _Moved | None
) -> None:
    now = baselines.load(state / baselines.NAME)
    if now is None:
        return
    try:
        with Root(now.folder) as top:
            if top.identity != (now.device, now.inode):
                return
            carried = moved.entries(state, top.path) if moved else {}
            fresh = _accepted(now, top, paths, _seen_from(meant, root, top), carried)
    except (Problem, OSError):
        return  # the folder is gone, or another one
    after = msgspec.structs.replace(now, files=fresh)
    if moved:
        after = msgspec.structs.replace(
            after,
            includes=moved.places(now.includes, now.folder),
            hooks=moved.places(now.hooks, now.folder),
            programs=moved.places(now.programs, now.folder),
        )
    if after != now:
        baselines.save(state / baselines.NAME, after)


def _seen_from(meant: Meant, root: Root, top: Root) -> Meant:
    """With paths as they are seen from another workspace."""

    def seen(path: str) -> str:
        return os.path.relpath(os.path.join(root.path, path), top.path)

    return Meant(
        {seen(path): each for path, each in meant.hashes.items()},
        {seen(path): each for path, each in meant.contents.items()},
    )


def _accepted(
    now: Baseline, top: Root, paths: Sequence[str], meant: Meant, carried: dict[str, Kept]
) -> dict[str, Kept]:
    changed = [os.path.relpath(path, top.path) for path in paths]
    kept = {path: each for path, each in now.files.items() if not _touched(path, changed)} | carried
    found = scanner_of(top).scan(top)
    reached = targets(top, found).joined(now.includes, now.hooks, now.programs)
    there = of_targets(top, reached) | of_repositories(top, found)
    for path, kind in there.items():
        if path not in meant.hashes or not _touched(path, changed):
            continue
        file = files.look(top, path)
        if file is not None and file.sha == meant.hashes[path]:
            kept[path] = Kept.of(file, kind)
        elif path in meant.contents and file is not None and not file.is_folder:
            old = now.files.get(path)
            kept[path] = Kept.made(kind, meant.contents[path], old.mode if old else 0o644)
    return kept


def _touched(path: str, changed: Sequence[str]) -> bool:
    return any(_beneath(path, each) for each in changed)


def _beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
