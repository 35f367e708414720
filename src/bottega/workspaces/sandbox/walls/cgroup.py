"""Counts the processes and the memory of a whole sandbox, where the studio may make control groups.

Both versions are known: one tree for all (2), or one for each kind of limit (1). Where neither can be had, each
program has its own limits (`Bounds.rlimits`), and `profile` says so. A group is named after the process that made it,
so that those of processes that died are known and taken away.
"""

import errno
import os
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bottega.workspaces.sandbox.bounds import Bounds

MOUNT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_NAME = re.compile(r"bottega-(\d+)-[0-9a-f]+")
_GONE = 5.0
"""Seconds until the kernel has let go of what has ended."""

Limits = Mapping[str, int]


class Group:
    """The folders of one sandbox."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self.folders = folders

    def add(self, pid: int) -> None:
        """Everything that this process starts from now on is counted."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        until = time.monotonic() + _GONE
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < until:
                time.sleep(0.01)


def make(bounds: Bounds, mount: Path = MOUNT, own: Path = _OWN) -> Group | None:
    """None: there are no control groups here that the studio may use."""
    name = f"bottega-{os.getpid()}-{secrets.token_hex(4)}"
    made: list[Path] = []
    try:
        for place, limits in _places(bounds, mount, own).items():
            _sweep(place)
            folder = place / name
            folder.mkdir()
            made.append(folder)
            _limit(folder, limits)
    except OSError:
        Group(tuple(made)).remove()
        return None
    return Group(tuple(made)) if made else None


def _places(bounds: Bounds, mount: Path, own: Path) -> dict[Path, Limits]:
    """Where groups are made, each with the limits of its kind: beneath the studio's own, which binds them too."""
    mine = _mine(own)
    if (mount / "cgroup.controllers").exists():
        place = mount / mine.get("", "")
        limits = {
            "memory.max": bounds.memory,
            "memory.swap.max": 0,
            "memory.oom.group": 0,
            "pids.max": bounds.processes,
        }
        return {place: limits} if _passed_on(place / "cgroup.subtree_control") else {}
    memory, pids = mount / "memory", mount / "pids"
    if not (memory.is_dir() and pids.is_dir()):
        return {}
    limited = {
        "memory.limit_in_bytes": bounds.memory,
        "memory.memsw.limit_in_bytes": bounds.memory,
    }
    return {
        memory / mine.get("memory", ""): limited,
        pids / mine.get("pids", ""): {"pids.max": bounds.processes},
    }


def _passed_on(control: Path) -> bool:
    """Whether groups beneath are counted; asked for where they are not yet."""
    needed = {"memory", "pids"}
    if not needed <= set(control.read_text().split()):
        with suppress(OSError):  # it may not be changed while processes are in that very group
            control.write_text("+memory +pids")
    return needed <= set(control.read_text().split())


def _mine(own: Path) -> dict[str, str]:
    """The studio's own group by kind; the kind of version 2 is empty."""
    found: dict[str, str] = {}
    for line in own.read_text().splitlines():
        _, kinds, path = line.split(":", 2)
        found |= dict.fromkeys(kinds.split(","), path.strip("/"))
    return found


def _limit(folder: Path, limits: Limits) -> None:
    for file, value in limits.items():
        try:
            (folder / file).write_text(str(value))
        except OSError:
            if (
                "sw" not in file and "oom" not in file
            ):  # swap is counted where the kernel was told to
                raise


def _sweep(place: Path) -> None:
    """Take away the groups of processes that died."""
    for folder in place.glob("bottega-*"):
        match = _NAME.fullmatch(folder.name)
        if match and not Path("/proc", match[1]).exists():
            _removed(folder)


def _removed(folder: Path) -> bool:
    """False: something in it has not quite ended."""
    try:
        os.rmdir(folder)
    except OSError as problem:
        return problem.errno != errno.EBUSY
    return True
