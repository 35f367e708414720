"""Makes a change of files, all of it or nothing.

First every file is compared with what the change was worked out from, then every new file is written beside its old
one, and only when all of that has gone well are they switched in, one rename each. A crash leaves each file old or new,
never in between; `reconcile` tells which.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress

from bottega.errors import BadUsage, Problem
from bottega.workspaces import own_code
from bottega.workspaces.changes.site import Site
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.fence import Holds
from bottega.workspaces.problems import HalfMade, explained, shown


class NotWritten(Problem):
    """The system refused a file for a reason that has no word of its own here."""

    code = "not_written"


def apply(
    root: Root, change: Change, fence: Holds, check: Callable[[], None] | None = None
) -> None:
    """Make the change, or raise a `Problem` and leave every file as it was. Waits for the disk: use a thread.

    `check` is called once all files are in place; what it raises takes them back.
    """
    _refuse_twins(change)
    own_code.refuse_change(root.path, *(edit.path for edit in change.edits))
    with fence.held(), ExitStack() as closing:
        root.check_present()
        sites = [Site(root, edit) for edit in change.edits]
        for site in sites:
            closing.callback(site.close)
        _each(sites, Site.compare)
        try:
            _each(sites, Site.prepare)
            _each(sites, Site.switch)
            if check is not None:
                check()
            _each(sites, Site.sync)
        except BaseException as problem:
            _undo(root, sites, problem)
            raise


def _refuse_twins(change: Change) -> None:
    known: set[str] = set()
    for edit in change.edits:
        if edit.path in known:
            raise BadUsage(
                f"The change names {shown(edit.path)} twice; nothing was written.",
                hint="Name each file once.",
            )
        known.add(edit.path)


def _each(sites: list[Site], step: Callable[[Site], None]) -> None:
    for site in sites:
        try:
            step(site)
        except OSError as problem:
            raise _told(problem, site.edit.path) from problem


def _told(problem: OSError, path: str) -> Exception:
    told = explained(problem, path)
    if isinstance(told, Problem):
        return told
    return NotWritten(f"The file {shown(path)} could not be written: {problem.strerror}.")


def _undo(root: Root, sites: list[Site], problem: BaseException) -> None:
    """Bring every file back to what it was, the last one first, and remove the folders that were made."""
    stuck: list[str] = []
    for site in reversed(sites):
        try:
            site.switch_back()
        except OSError:
            stuck.append(site.edit.path)
        site.close()
    for path in (path for site in reversed(sites) for path in reversed(site.made)):
        with suppress(OSError, Problem):  # somebody has put something there
            folder, name = root.open_parent(path)
            try:
                os.rmdir(name, dir_fd=folder)
            finally:
                os.close(folder)
    if stuck:
        raise HalfMade(
            f"{problem} Some files that were already written could not be put back:"
            f" {', '.join(map(shown, stuck))}.",
            hint="Look at them before going on.",
        ) from problem
