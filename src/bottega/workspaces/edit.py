"""A change of files that has been worked out and not yet made.

A tool that edits files says what it would do, and does nothing: so the change can be shown as a diff, bound to an
approval, written into the log before it happens, compared after a crash, and undone.
"""

from typing import Any

import msgspec


class Edit(msgspec.Struct, frozen=True):
    """One file's next content."""

    path: str
    """Canonical, relative to the workspace."""
    before: bytes | None
    """What is there now; None: nothing is."""
    after: bytes | None
    """What will be there; None: the file goes."""
    mode: int = 0
    """Permission bits for a new file; 0: as the old one's, or as usual."""


class Change(msgspec.Struct, frozen=True):
    """Edits that are made together, all or none."""

    edits: tuple[Edit, ...]
    result: Any = None
    """What the model is told once they are made."""
