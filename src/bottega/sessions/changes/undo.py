"""Brings files back to what they were before a session, one by one, and never over what somebody did since."""

from collections.abc import Callable
from typing import Literal

import msgspec

from bottega.errors import Problem, Refused
from bottega.events.facts import FileChange
from bottega.sessions.changes.work import Work
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.changes.kept import Read
from bottega.workspaces.changes.reconcile import digest, restore
from bottega.workspaces.changes.site import current
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change, Edit
from bottega.workspaces.fence import Holds
from bottega.workspaces.gitfiles import is_of_git

Now = Literal["left", "undone", "edited", "unreachable"]
"""Whether a file is as the session left it, as it was before, or neither."""


def now(root: Root, work: Work) -> Now:
    try:
        found = digest(root, work.path)
    except Problem:
        return "unreachable"
    if found == work.after:
        return "left"
    return "undone" if found == work.before else "edited"


def turned(work: Work) -> Work:
    """The same work backwards: to undo it is to redo the session's."""
    return msgspec.structs.replace(work, before=work.after, after=work.before)


def revert(
    root: Root,
    work: Work,
    read: Read,
    fence: Holds,
    check: Callable[[], None] | None = None,
    *,
    force: bool = False,
) -> None:
    """Give one file its content from before the session, or raise a `Problem` and leave it. Waits for the disk.

    `check` is called once the file is there; what it raises takes it back.
    With `force`, over what somebody did since too; but never what an imported log tells of, nor what is git's.
    """
    if work.imported:
        raise Refused(
            f"{work.path!r} was changed where this session was exported, not here.",
            hint="`bottega changes --diff` shows what was done to it; change it by hand.",
        )
    if is_of_git(work.path):
        raise Refused(f"{work.path!r} belongs to git.", hint="Use git itself to change it.")
    if force:
        before = read(work.before) if work.before else None
        edit = Edit(work.path, current(root, work.path), before, work.mode)
        apply(root, Change((edit,)), fence, check)
        return
    if work.mixed:
        raise Refused(
            f"{work.path!r} was also changed by somebody else while the session worked on it.",
            hint="`bottega changes --diff` shows what to undo by hand.",
        )
    if now(root, work) == "edited":
        raise Refused(
            f"{work.path!r} was edited since.",
            hint="`bottega changes --diff` shows what to undo by hand.",
        )
    restore(root, FileChange(work.path, work.before, work.after, work.mode), read, fence, check)
