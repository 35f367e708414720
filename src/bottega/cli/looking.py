"""What a change did to a file, from the bytes that were kept of it."""

from bottega.cli.screen.calls.under_way import Look
from bottega.errors import NotFound
from bottega.events.facts import FileChange
from bottega.runtime import Runtime
from bottega.workers.acting.question import diff
from bottega.workspaces.edit import Change, Edit

LARGEST = 400_000
"""Bytes of a file that is still compared line by line."""


def differences(runtime: Runtime) -> Look:
    """A look at the changes of this home's sessions."""

    def look(change: FileChange) -> str:
        try:
            before, after = (
                runtime.blobs.read(name) if name else None for name in (change.before, change.after)
            )
        except NotFound:
            return ""
        if max(len(before or b""), len(after or b"")) > LARGEST:
            return ""
        return diff(Change((Edit(change.path, before, after),)))

    return look
