"""Which folders may be worked in: none of the system's or of git's own, no home folder, nothing with keys.

The one rule for all that opens a folder to work in it: adding a project, opening a session's folder, and every sandbox.
Whoever may work in such a folder could read everybody's keys and sessions, or become the user that Bottega runs as.
"""

import os
import pwd
import re
from collections.abc import Iterable

from bottega.errors import Refused
from bottega.workspaces.gitfiles import repository_around

_SYSTEM = re.compile(
    r"/(?:bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|sys|usr|var)(?:/.*)?", re.DOTALL
)
_FREE = re.compile(r"/(?:dev/shm|var/tmp|var/www)/.+", re.DOTALL)
"""Folders in those of the system that are for everybody's files."""
_KEYS = frozenset({".ssh", ".gnupg", ".aws", ".kube", ".docker", ".password-store"})
"""What keeps keys, right in somebody's home folder."""
_HOMES = re.compile(r"/root|/(?:home|Users)/[^/]+")


def refuse_unfit(folder: str, hidden: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse a real path that may not be worked in; `hidden` are folders that nobody may see, such as the home."""
    if why := _unfit(folder, [os.path.realpath(each) for each in hidden]):
        raise Refused(f"{folder!r} cannot be a project: {why}", hint="Choose a folder of your own.")


def _unfit(folder: str, hidden: list[str]) -> str:
    if folder == "/":
        return "it is the whole machine."
    if any(_is_beneath(own, folder) or _is_beneath(folder, own) for own in hidden):
        return "Bottega keeps its own files there."
    if _SYSTEM.fullmatch(folder) and not _FREE.fullmatch(folder):
        return "it belongs to the system."
    if repository := repository_around(folder):
        return f"it is a part of the repository {repository!r}, and decides what git runs."
    if _keeps_keys(folder) or _holds_home(folder):
        return "it is where somebody's keys, or settings that run programs, are kept."
    return ""


def _keeps_keys(folder: str) -> bool:
    parts = folder.split("/")
    return any(
        part in _KEYS and _is_home("/".join(parts[:place])) for place, part in enumerate(parts)
    )


def _holds_home(folder: str) -> bool:
    """Whether it is a home folder, holds some, or has the settings of all programs."""
    above, name = os.path.split(folder)
    settings = (name in (".config", ".local", ".cache") and _is_home(above)) or (
        name == "share" and above.endswith("/.local") and _is_home(os.path.dirname(above))
    )
    return settings or _is_home(folder) or folder in ("/home", "/Users")


def _is_home(folder: str) -> bool:
    try:
        own = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        own = ""
    return folder == own or bool(_HOMES.fullmatch(folder))


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
