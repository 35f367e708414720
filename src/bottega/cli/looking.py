"""What a change did to a file, from the bytes that were kept of it."""

from bottega.cli.screen.calls.under_way import Look
from bottega.errors import Problem
from bottega.events.facts import FileChange
from bottega.runtime import Runtime
from bottega.workspaces.changes.diff import Difference


def differences(runtime: Runtime) -> Look:
    """A look at the changes of this home's sessions."""

    def look(change: FileChange) -> str:
        try:
            before, after = (
                runtime.blobs.read(name) if name else None for name in (change.before, change.after)
            )
        except Problem:
            return ""
        return unified(Difference(change.path, before, after))

    return look


def unified(difference: Difference) -> str:
    return b"".join(difference.lines()).decode("utf-8", "replace")
