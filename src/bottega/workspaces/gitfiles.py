"""Which paths are git's own, however they are spelled: what stands there makes git run programs.

Disks that do not tell capital letters apart, that ignore signs nobody sees (HFS+), or that know short names and drop
dots, spaces and streams at the end (NTFS) take other spellings for `.git`. A workspace may lie on one.
"""

import os
import re
import unicodedata

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""What HFS+ passes over in a name."""
_SHORT = re.compile(r"git~\d+")
_FIRST = re.compile(r"git~1")
"""The only short name that git itself refuses."""


INSIDE = frozenset(
    {
        *("head", "config", "config.worktree", "commondir", "gitdir", "hooks", "info", "objects"),
        *("refs", "packed-refs", "remotes", "branches", "modules", "worktrees", "sequencer"),
        *("rebase-merge", "rebase-apply", "index", "logs", "shallow", "lfs", "merge_head"),
    }
)
"""What a repository is made of: what else lies in a folder that happens to be one is nothing to git."""


def is_of_git(path: str) -> bool:
    """Whether a part of the path is git's folder, or the file that stands for it."""
    return any(_is_git(part) for part in path.replace("\\", "/").split("/"))


def is_refused(path: str) -> bool:
    """Whether git takes a part of it for its own, and does not write it: of all short names, only the first."""
    return any(_is_git(part, _FIRST) for part in path.replace("\\", "/").split("/"))


def _is_git(name: str, short: re.Pattern[str] = _SHORT) -> bool:
    seen = _IGNORED.sub("", unicodedata.normalize("NFKC", name)).casefold()
    seen = seen.partition(":")[0].rstrip(". ")  # NTFS drops a stream, dots and spaces at the end
    return seen == ".git" or short.fullmatch(seen) is not None


def repository_around(folder: str) -> str:
    """The repository of whose own files this folder, an absolute path, is one; empty: none. Waits for the disk."""
    at = folder
    while at != os.path.dirname(at):
        inside, at = os.path.basename(at), os.path.dirname(at)
        if _is_git(inside):
            return os.path.join(at, inside)
        if inside.casefold() in INSIDE and _is_repository(at):
            return at
    return ""


def _is_repository(folder: str) -> bool:
    def has(name: str) -> bool:
        return os.path.lexists(os.path.join(folder, name))

    return has("HEAD") and (has("commondir") or has("objects") and has("refs"))
