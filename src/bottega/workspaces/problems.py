"""What can go wrong with a file of a workspace, each in one plain sentence that says what to do next."""

import errno
import os

from bottega.errors import Conflict, NotFound, Problem, Refused

_SHOWN = 120


class PathOutsideWorkspace(Refused):
    """The path does not stay inside the workspace."""

    code = "path_outside_workspace"


class Missing(NotFound):
    """There is nothing at that path."""


class NotAFile(Problem):
    """A folder, pipe, socket or device stands where a file was wanted."""

    code = "not_a_file"


class NotAFolder(Problem):
    """Something else stands where a folder was wanted."""

    code = "not_a_folder"


class Linked(Refused):
    """A symbolic link stands where none may be followed: it is new, or leads nowhere."""

    code = "linked"


class NoPermission(Problem):
    """The system does not let this user do that."""

    code = "no_permission"


class Stale(Conflict):
    """A file is no longer what the change was worked out from; nothing was written."""

    code = "stale"


class ReadOnly(Problem):
    """The workspace can be read and not written."""

    code = "read_only"


class DiskFull(Problem):
    """There is no room for the new bytes; nothing was written."""

    code = "disk_full"


class WorkspaceGone(Problem):
    """The folder was deleted, or another one stands in its place."""

    code = "workspace_gone"


class HalfMade(Problem):
    """A change failed, and what was already made of it could not be undone."""

    code = "half_made"


_FULL = (DiskFull, "The disk is full: there is no room for {}.", "Free some space, then try again.")

_WORDS: dict[int, tuple[type[Problem], str, str]] = {
    errno.EXDEV: (
        PathOutsideWorkspace,
        "The path {} leads out of the workspace through a symbolic link.",
        "",
    ),
    errno.ENAMETOOLONG: (PathOutsideWorkspace, "The path {} is too long.", ""),
    errno.ENOENT: (Missing, "There is nothing at {}.", ""),
    errno.ENOTDIR: (NotAFolder, "The path {} names or passes something that is no folder.", ""),
    errno.EISDIR: (NotAFile, "The path {} names a folder, not a file.", ""),
    errno.ENXIO: (NotAFile, "The path {} names a pipe, socket or device, not a file.", ""),
    errno.ELOOP: (NotAFile, "The path {} goes in circles through symbolic links.", ""),
    errno.EACCES: (NoPermission, "The system gives no permission for {}.", ""),
    errno.EPERM: (NoPermission, "The system gives no permission for {}.", ""),
    errno.EROFS: (
        ReadOnly,
        "The workspace is read-only: {} cannot be written.",
        "Make it writable, or work in another folder.",
    ),
    errno.EBUSY: (ReadOnly, "The path {} is held in place by the system.", ""),
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
}


def shown(path: str) -> str:
    """The path as a sentence may quote it."""
    return repr(path if len(path) <= _SHOWN else path[:_SHOWN] + "…")


def explained(problem: OSError, path: str, follow: bool = True) -> Exception:
    """The system's word as ours; what has no word of ours stays as it is."""
    if problem.errno == errno.ELOOP and not follow:
        return Linked(
            f"The path {shown(path)} passes a symbolic link that leads nowhere, or is new."
        )
    if problem.errno not in _WORDS:
        return OSError(problem.errno, problem.strerror or os.strerror(problem.errno or 0), path)
    fact, words, hint = _WORDS[problem.errno]
    return fact(words.format(shown(path)), hint=hint)


def outside(path: str) -> PathOutsideWorkspace:
    return PathOutsideWorkspace(
        f"The path {shown(path)} is outside the workspace.",
        hint="Use a path relative to the workspace folder.",
    )


def stale(path: str, what: str = "has changed since it was read") -> Stale:
    return Stale(
        f"The file {shown(path)} {what}; nothing was written.",
        hint="Read it again, then make the change anew.",
    )
