"""After a death: what programs of a dead process planted for git is undone by whoever comes next."""

import fcntl
import logging
import os
import time
from contextlib import suppress
from pathlib import Path

from bottega.errors import StorageFailed
from bottega.workspaces.confine import Root
from bottega.workspaces.git import baseline as baselines
from bottega.workspaces.git.baseline import Baseline
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.undoing import rights
from bottega.workspaces.own_code import is_beneath

_log = logging.getLogger(__name__)
_LAST_WORDS = 10.0
"""Seconds in which programs of a dead process end."""


def recover(state: Path, root: Root, reserve: int = 0) -> tuple[str, ...]:
    """Compare a workspace with the baseline that somebody left; what was undone since it was written. Blocks."""
    guard = Guard(state, root, reserve)
    guard.open()
    try:
        guard.since_begun()
        return guard.reports()
    finally:
        guard.close()


def recover_left(state: Path, folder: str, reserve: int = 0) -> tuple[str, ...]:
    """What a dead process left in this folder, in one beneath or above it: what was undone, a sentence each. Blocks.

    Where a living one has a sandbox there is nothing to do: that one looks itself.
    """
    said: list[str] = []
    folder = os.path.realpath(folder)
    rights.claim(state)
    for path in _left(state):
        left = _load(path)
        if left and (is_beneath(left.folder, folder) or is_beneath(folder, left.folder)):
            said += _compared(state, left, reserve, forget=_is_long_dead(path))
    return tuple(said)


def recover_all(state: Path, *, last: bool, reserve: int = 0) -> int:
    """Every workspace with a baseline; how many there were. Blocks.

    What was killed may take seconds to end: only the `last` time are baselines forgotten.
    """
    found = 0
    rights.claim(state)
    for path in (state / "git").glob("*/baseline"):
        if left := _load(path):
            found += 1
            _compared(state, left, reserve, forget=last)
    return found


def _compared(state: Path, left: Baseline, reserve: int, *, forget: bool) -> tuple[str, ...]:
    """One folder must not keep the others from being looked at."""
    try:
        if os.path.realpath(left.folder) != left.folder:
            return ()  # a link has come in its place
        with Root(left.folder) as root:
            same = root.identity == (left.device, left.inode)
            if not same and not left.is_of(root.identity, baselines.born(root.fileno())):
                return ()  # it was renamed: whoever works where it is now looks at it
            guard = Guard(state, root, reserve)
            guard.open()
            guard.close(forget=forget)
            return guard.reports()
    except Exception as problem:  # whatever a program has put there
        _log.warning("%r could not be checked for planted repositories: %r", left.folder, problem)
        return ()


def _load(path: Path) -> Baseline | None:
    """One that cannot be read must not keep the others from being looked at: nobody works in its folder meanwhile."""
    try:
        return baselines.load(path)
    except StorageFailed as problem:
        _log.warning("%s", problem)
        return None


def _left(state: Path) -> list[Path]:
    """The baselines of workspaces in which no process has a sandbox any more."""
    return [path for path in sorted((state / "git").glob("*/baseline")) if not _is_held(path)]


def _is_held(path: Path) -> bool:
    try:
        with (path.parent / "holders").open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _is_long_dead(path: Path) -> bool:
    """Whether it was first seen long enough ago for all that the dead one had started to have ended as well."""
    mark = path.with_name(baselines.LEFT)
    with suppress(OSError):
        return time.time() - mark.stat().st_mtime > _LAST_WORDS
    with suppress(OSError):
        mark.touch()
    return False
