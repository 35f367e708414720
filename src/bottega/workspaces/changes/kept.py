"""Old and new bytes of changed files, kept by their sha256 before anything happens: what undoing needs."""

from collections.abc import Iterable
from typing import Protocol

from bottega.events.facts import FileChange
from bottega.workspaces.edit import Change


class Store(Protocol):
    """Where bytes are kept; `storage.blobs.Blobs` is one."""

    def keep(self, content: bytes) -> str:
        """Keep the bytes; returns their sha256 once they are durable."""
        ...

    def read(self, name: str) -> bytes:
        """The bytes of that sha256; raises `NotFound` where they are not here."""
        ...


def keep(change: Change, store: Store) -> tuple[FileChange, ...]:
    """Keep both sides of every edit, and say what is about to be written as the log says it. Waits for the disk."""
    return tuple(
        FileChange(
            edit.path,
            "" if edit.before is None else store.keep(edit.before),
            "" if edit.after is None else store.keep(edit.after),
        )
        for edit in change.edits
    )


def blobs_of(writes: Iterable[FileChange]) -> list[str]:
    """The blobs that these changes name, each once: what their session must have."""
    named = (name for write in writes for name in (write.before, write.after) if name)
    return list(dict.fromkeys(named))
