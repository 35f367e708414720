"""Counts the processes and the memory of a whole sandbox, and of all of one person's, where there are control groups.

Both versions are known: one tree for all (2), or one for each kind of limit (1). Where neither can be had, each
program has its own limits (`Bounds.rlimits`), and `profile` says so. A group is named after the process that made it,
so that those of processes that died are known and taken away. A person's group is shared by all processes of a home,
holds those of the sandboxes, and goes with the last of them.
"""

import errno
import os
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from bottega.workspaces.sandbox.bounds import Bounds

MOUNT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_NAME = re.compile(r"bottega-(\d+)-[0-9a-f]+")
_GONE = 5.0
"""Seconds until the kernel has let go of what has ended."""
_TRIES = 20

Limits = Mapping[str, int]


class Within(msgspec.Struct, frozen=True):
    """The group that the sandbox's own lies in: all that one person runs."""

    name: str
    memory: int
    processes: int


class Group:
    """The folders of one sandbox."""

    def __init__(self, folders: tuple[Path, ...], within: str = "") -> None:
        self.folders = folders
        self._within = within

    def add(self, pid: int) -> None:
        """Everything that this process starts from now on is counted."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        until = time.monotonic() + _GONE
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < until:
                time.sleep(0.01)
            if self._within and folder.parent.name == self._within:
                _removed(folder.parent)  # unless another sandbox is in there


def make(
    bounds: Bounds, mount: Path = MOUNT, own: Path = _OWN, *, within: Within | None = None
) -> Group | None:
    """None: there are no control groups here that the studio may use."""
    name = f"bottega-{os.getpid()}-{secrets.token_hex(4)}"
    made: list[Path] = []
    above = within.name if within else ""
    try:
        for place, limits in _places(bounds, mount, own).items():
            _sweep(place)
            folder = _folder(place, name, within, bounds)
            made.append(folder)
            _limit(folder, limits)
    except OSError:
        Group(tuple(made), above).remove()
        # Where groups cannot be nested so deep, the sandbox's own is still worth having.
        return make(bounds, mount, own) if within else None
    return Group(tuple(made), above) if made else None


def _folder(place: Path, name: str, within: Within | None, bounds: Bounds) -> Path:
    """A new group in its place, or in the person's group there."""
    if within is None:
        (place / name).mkdir()
        return place / name
    person = place / within.name
    for _ in range(
        _TRIES
    ):  # another process may take the person's away, as long as nothing is in it
        with suppress(FileNotFoundError):
            person.mkdir(exist_ok=True)
            _limit(person, _within(within, place, bounds))
            _sweep(person)
            (person / name).mkdir()
            return person / name
    raise OSError(errno.EAGAIN, "the person's control group comes and goes")


def _within(within: Within, place: Path, bounds: Bounds) -> Limits:
    """The same limits as a sandbox has there, for all of a person's."""
    both = msgspec.structs.replace(bounds, memory=within.memory, processes=within.processes)
    control = place / "cgroup.subtree_control"
    if control.exists():
        _passed_on(place / within.name / "cgroup.subtree_control")
        return _together(both)
    return _memory(both) if (place / "memory.limit_in_bytes").exists() else _pids(both)


def _places(bounds: Bounds, mount: Path, own: Path) -> dict[Path, Limits]:
    """Where groups are made, each with the limits of its kind: beneath the studio's own, which binds them too."""
    mine = _mine(own)
    if (mount / "cgroup.controllers").exists():
        place = mount / mine.get("", "")
        return {place: _together(bounds)} if _passed_on(place / "cgroup.subtree_control") else {}
    memory, pids = mount / "memory", mount / "pids"
    if not (memory.is_dir() and pids.is_dir()):
        return {}
    return {
        memory / mine.get("memory", ""): _memory(bounds),
        pids / mine.get("pids", ""): _pids(bounds),
    }


def _together(bounds: Bounds) -> Limits:
    return {
        "memory.max": bounds.memory,
        "memory.swap.max": 0,
        "memory.oom.group": 0,
        "pids.max": bounds.processes,
    }


def _memory(bounds: Bounds) -> Limits:
    return {
        "memory.limit_in_bytes": bounds.memory,
        "memory.memsw.limit_in_bytes": bounds.memory,
    }


def _pids(bounds: Bounds) -> Limits:
    return {"pids.max": bounds.processes}


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
