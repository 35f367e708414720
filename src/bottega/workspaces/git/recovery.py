"""After a death: what programs of a dead process planted for git is undone by whoever comes next."""

import logging
import os
from pathlib import Path

from bottega.workspaces.confine import Root
from bottega.workspaces.git import baseline as baselines
from bottega.workspaces.git.guard import Guard

_log = logging.getLogger(__name__)


def recover(state: Path, root: Root, reserve: int = 0) -> tuple[str, ...]:
    """Compare a workspace with the baseline that somebody left; what was undone since it was written. Blocks."""
    guard = Guard(state, root, reserve)
    guard.open()
    try:
        guard.since_begun()
        return guard.reports()
    finally:
        guard.close()


def recover_all(state: Path, *, last: bool, reserve: int = 0) -> int:
    """Every workspace with a baseline; how many there were. Blocks.

    What was killed may take seconds to end: only the `last` time are baselines forgotten.
    """
    found = 0
    for path in (state / "git").glob("*/baseline"):
        left = baselines.load(path)
        if left is None:
            continue
        found += 1
        try:
            if os.path.realpath(left.folder) != left.folder:
                continue  # a link has come in its place
            with Root(left.folder) as root:
                same = root.identity == (left.device, left.inode)
                if not same and not left.is_of(root.identity, baselines.born(root.fileno())):
                    continue  # it was renamed: whoever works where it is now looks at it
                guard = Guard(state, root, reserve)
                guard.open()
                guard.close(forget=last)
        except Exception as problem:  # one folder must not keep the others from being looked at
            _log.warning(
                "%r could not be checked for planted repositories: %r", left.folder, problem
            )
    return found
