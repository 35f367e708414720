"""How much room the disk of the home has: what would take the last of it is refused, not stored."""

import os
import time
from pathlib import Path

from bottega.errors import Problem

MIB = 1024 * 1024
FRESH = 0.5
"""Seconds for which an answer of the system is remembered."""


class DiskNearlyFull(Problem):
    """The rest of the disk is kept for what is stored already to go on."""

    code = "disk_full"


class Disk:
    def __init__(self, path: Path, reserve: int = 0) -> None:
        """`reserve` is how many bytes stay free."""
        self._path = path
        self.reserve = reserve
        self._seen = -FRESH, 0

    def lacks(self, size: int = 0) -> bool:
        """Whether so many bytes more would leave less than the reserve."""
        at, free = self._seen
        if time.monotonic() - at >= FRESH:
            try:
                found = os.statvfs(self._path)
            except OSError:
                return False
            free = found.f_bavail * found.f_frsize
            self._seen = time.monotonic(), free
        return free - size < self.reserve

    def refuse_when_full(self, size: int = 0) -> None:
        if self.lacks(size):
            raise DiskNearlyFull(
                f"The disk that holds the home has less than {self.reserve // MIB} MB left.",
                hint="Free some space there; the owner sets `disk_reserve_mb`.",
            )
