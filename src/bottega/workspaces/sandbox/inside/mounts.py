"""What is mounted in a sandbox, as the kernel tells it: the names that were given on the way there prove nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

_ESCAPED = re.compile(rb"\\([0-7]{3})")
_OWN = (b"/dev/", b"/proc/")
"""Made by bubblewrap itself, and sealed afterwards."""


def mount_name(place: str | bytes) -> str:
    """A short name for a place; a path may be long, and no text."""
    return sha256(os.fsencode(place)).hexdigest()[:24]


def strange(allowed: Iterable[str], frozen: Iterable[str], table: bytes | None = None) -> list[str]:
    """The names of what is mounted where nothing should be, and of what should be read-only and is not."""
    known = set(allowed)
    found = {
        mount_name(place): read_only
        for place, read_only in _mounts(table)
        if not place.startswith(_OWN)
    }
    return [
        *(name for name in found if name not in known),
        *(name for name in frozen if not found.get(name)),
    ]


def _mounts(table: bytes | None) -> Iterator[tuple[bytes, bool]]:
    if table is None:
        with open("/proc/self/mountinfo", "rb") as file:
            table = file.read()
    for line in table.splitlines():
        fields = line.split(b" ")
        place = _ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), fields[4])
        yield place, b"ro" in fields[5].split(b",")
