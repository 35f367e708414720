"""What would change if a file got another content, as a difference; nothing is written."""

from collections.abc import Iterable

import msgspec

from bottega.projects.files.changing import current
from bottega.projects.files.limits import DIFFERENCE
from bottega.projects.files.version import NONE, digest
from bottega.tools.editing.written import EMPTY, written
from bottega.workspaces.changes.diff import Difference
from bottega.workspaces.confine import Root


class Compared(msgspec.Struct, frozen=True):
    path: str
    version: str
    """Of what is there; empty: nothing is."""
    added: int
    removed: int
    text: str
    """In the form that `git apply` takes."""
    cut: bool
    """There is more."""


def compare(root: Root, path: str, content: str) -> Compared:
    """Waits for the disk."""
    canonical = root.canonical(path)
    before = current(root, canonical)
    old = EMPTY if before is None else written(before, canonical)
    after = old.filled(content).body()
    return compared(
        Difference(canonical, before, after), NONE if before is None else digest(before)
    )


def compared(difference: Difference, version: str) -> Compared:
    """Takes as long as the two sides are large: use a thread."""
    both = difference.compared()
    added, removed = both.counts()
    text, cut = shortened(both.lines())
    return Compared(difference.path, version, added, removed, text, cut)


def shortened(lines: Iterable[bytes]) -> tuple[str, bool]:
    """As many whole lines as may be shown, and whether there are more."""
    taken: list[bytes] = []
    room = DIFFERENCE
    for line in lines:
        room -= len(line)
        if room < 0:
            return b"".join(taken).decode("utf-8", "replace"), True
        taken.append(line)
    return b"".join(taken).decode("utf-8", "replace"), False
