"""How far a change came that nobody saw the end of: told by comparing files with what was about to be written.

Only content counts, so the answer is true however the process ended. Nothing that anybody else wrote since is touched.
"""

import hashlib
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal

import msgspec

from bottega.errors import Problem
from bottega.events.facts import FileChange
from bottega.workspaces.changes import leftovers
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.changes.kept import Read
from bottega.workspaces.changes.site import current
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Holds

State = Literal["all", "none", "some"]


class Reconciled(msgspec.Struct, frozen=True):
    """Every path of a change is in one of these."""

    made: tuple[str, ...] = ()
    unmade: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    """Neither the old nor the new content: somebody else has changed it since."""

    @property
    def state(self) -> State:
        if self.other or (self.made and self.unmade):
            return "some"
        return "all" if self.made else "none"


class Settled(msgspec.Struct, frozen=True):
    undone: tuple[str, ...] = ()
    refused: dict[str, str] = {}
    """Files that were left as they are, and why."""


def reconcile(root: Root, writes: Iterable[FileChange]) -> Reconciled:
    """Which of these writes were made; also removes what a dead process left beside the files."""
    made: list[str] = []
    unmade: list[str] = []
    other: list[str] = []
    either: list[str] = []
    for write in writes:
        _clean(root, write.path)
        try:
            found = digest(root, write.path)
        except Problem:
            other.append(write.path)
            continue
        if found == write.after == write.before:
            either.append(write.path)
        elif found == write.after:
            made.append(write.path)
        elif found == write.before:
            unmade.append(write.path)
        else:
            other.append(write.path)
    # A write that changes nothing says nothing: it goes with the rest.
    (unmade if unmade else made).extend(either)
    return Reconciled(tuple(made), tuple(unmade), tuple(other))


def settle(
    root: Root,
    writes: Iterable[FileChange],
    read: Read,
    fence: Holds,
    refuse: Callable[[str], None] = lambda path: None,
) -> Settled:
    """Bring what was made back to what was before, file by file, but nothing that anybody else changed since.

    `refuse` raises a `Problem` for a path where an old content must not be written, before it is and once it is there.
    """
    listed = list(writes)
    found = reconcile(root, listed)
    undone: list[str] = []
    refused = dict.fromkeys(found.other, "Somebody else has changed it since.")
    for write in listed:
        if write.path not in found.made or write.before == write.after:
            continue
        try:
            check = partial(refuse, write.path) if write.before else None
            if check is not None:
                check()
            restore(root, write, read, fence, check)
            undone.append(write.path)
        except Problem as problem:
            refused[write.path] = str(problem)
    return Settled(tuple(undone), refused)


def restore(
    root: Root,
    write: FileChange,
    read: Read,
    fence: Holds,
    check: Callable[[], None] | None = None,
) -> None:
    """Give one file its content from before; refused where it is no longer what this write made of it.

    `check` is called once it is there; what it raises takes it back.
    """
    before = read(write.before) if write.before else None
    after = read(write.after) if write.after else None
    apply(root, Change((Edit(write.path, after, before, write.mode),)), fence, check)


def digest(root: Root, path: str) -> str:
    """The sha256 of a file's content; empty: there is no file."""
    content = current(root, path)
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _clean(root: Root, path: str) -> None:
    try:
        folder, _ = root.open_parent(path)
    except (Problem, OSError):
        return
    try:
        leftovers.clean(folder)
    finally:
        os.close(folder)
