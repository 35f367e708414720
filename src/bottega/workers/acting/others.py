"""Which files somebody else changed since the model saw them: compared by what they hold, read only if touched."""

import hashlib
import os
import time
from collections.abc import Mapping

from bottega.errors import Problem
from bottega.workspaces.confine import Missing, Root

MOST = 50
"""Files that are looked at: those that the model saw last."""
_LARGEST = 4 * 1024 * 1024
_SECONDS = 0.5
_Stamp = tuple[int, int, int]


class Others:
    def __init__(self) -> None:
        self._known: dict[str, tuple[_Stamp, str]] = {}

    def changed(
        self, root: Root, seen: Mapping[str, str], held: Mapping[str, str]
    ) -> dict[str, str]:
        """By path, what tells this change from another. `seen` and `held` are sha256s: what the session itself
        wrote, or removed, is nobody else's doing."""
        changed: dict[str, str] = {}
        until = time.monotonic() + _SECONDS
        for path, digest in seen.items():
            now = self._digest(root, path)
            if now and now not in (digest, held.get(path)):
                changed[path] = now[:16]
            elif now == "" and path not in held:
                changed[path] = "gone"
            if time.monotonic() > until:
                break
        return changed

    def _digest(self, root: Root, path: str) -> str | None:
        """The sha256 of a file; empty: it is gone; None: it cannot be told."""
        try:
            found = root.stat(path, follow=False)
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            before = self._known.get(path)
            if before and before[0] == stamp:
                return before[1]
            if found.st_size > _LARGEST:
                return None
            with os.fdopen(root.open_file(path, follow=False), "rb") as file:
                digest = hashlib.sha256(file.read(_LARGEST)).hexdigest()
        except Missing:
            return ""
        except (Problem, OSError):
            return None
        self._known[path] = (stamp, digest)
        return digest
