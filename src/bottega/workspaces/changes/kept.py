"""Old and new bytes of changed files, kept by their sha256 before anything happens: what undoing needs."""

from collections.abc import Callable, Iterable
from typing import Protocol

from bottega.events.facts import FileChange
from bottega.workspaces.edit import Change

Read = Callable[[str], bytes]
"""The bytes of a sha256; raises `NotFound` where they are not here."""


class Keeps(Protocol):
    """Where bytes are kept; `storage.blobs.Blobs` is one."""

    def keep_all(self, contents: Iterable[bytes]) -> list[str]:
        """Keep them all; returns the sha256 of each once they are durable."""
        ...


def keep(change: Change, store: Keeps) -> tuple[FileChange, ...]:
    """Keep both sides of every edit, and say what is about to be written as the log says it. Waits for the disk."""
    sides = [side for edit in change.edits for side in (edit.before, edit.after)]
    names = iter(store.keep_all(side for side in sides if side is not None))
    told = ["" if side is None else next(names) for side in sides]
    return tuple(
        FileChange(edit.path, before, after)
        for edit, before, after in zip(change.edits, told[::2], told[1::2], strict=True)
    )


def blobs_of(writes: Iterable[FileChange]) -> list[str]:
    """The blobs that these changes name, each once: what their session must have."""
    named = (name for write in writes for name in (write.before, write.after) if name)
    return list(dict.fromkeys(named))
