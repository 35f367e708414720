"""What is mounted in a sandbox, as the kernel tells it: the names that were used on the way there prove nothing.

A folder that is swapped for a link in the moment of a mount leads both ends of it elsewhere, and back again before
anybody looks. The kernel's own table tells where each mount is, and of what.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Dict, List, NamedTuple  # noqa: UP035

_ESCAPED = re.compile(rb"\\([0-7]{3})")
_OWN = (b"/dev/", b"/proc/")
"""Made by bubblewrap itself, and sealed afterwards."""

Order = Dict[str, Any]  # noqa: UP006


class Mount(NamedTuple):
    place: bytes
    device: bytes
    top: bytes
    """The folder of its file system that is seen there."""
    read_only: bool


def mounts(table: bytes | None = None) -> Iterator[Mount]:
    """Every mount of this process, in the order in which they were made."""
    if table is None:
        with open("/proc/self/mountinfo", "rb") as file:
            table = file.read()
    for line in table.splitlines():
        fields = line.split(b" ")
        top, place = (_ESCAPED.sub(_byte, each) for each in fields[3:5])
        yield Mount(place, fields[2], top, b"ro" in fields[5].split(b","))


def _byte(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 8)])


def mount_name(*parts: bytes) -> str:
    """A short name for a place, or a mount; a path may be long, and no text."""
    return sha256(b"\0".join(parts)).hexdigest()[:24]


def strange(ordered: Order, table: bytes | None = None) -> List[str]:  # noqa: UP006
    """The places of mounts that are not as they were ordered.

    `ordered` has how often each place is mounted (`times`), where that must be read-only (`frozen`), what must be
    there (`needed`), mounts of the machine that come along with a folder (`along`), and the workspace.
    """
    found = [each for each in mounts(table) if not each.place.startswith(_OWN)]
    workspace = os.fsencode(ordered["workspace"])
    own = [each for each in found if each.place == workspace]
    left = dict(ordered["times"])
    odd: list[Mount] = []
    for each in found:
        if mount_name(each.place, each.device, each.top) in ordered["along"]:
            continue
        name = mount_name(each.place)
        left[name] = left.get(name, 0) - 1
        writable = name in ordered["frozen"] and not each.read_only
        if left[name] < 0 or writable or not (own and _belongs(each, own[0], ordered)):
            odd.append(each)
    missing = [name for name in ordered["needed"] if left.get(name, 1) > 0]
    return [
        *(os.fsdecode(each.place).encode("ascii", "replace").decode() for each in odd),
        *missing,
    ]


def _belongs(mount: Mount, workspace: Mount, ordered: Order) -> bool:
    """Whether what is mounted in the workspace is of the workspace, and of the very place at which it is."""
    if not mount.place.startswith(workspace.place + b"/"):
        return True
    if mount_name(mount.place) in ordered["hidden"]:
        return True
    inside = mount.place[len(workspace.place) :]
    return mount.device == workspace.device and mount.top == workspace.top.rstrip(b"/") + inside
