"""Takes away the placeholders that sandboxes of an earlier version put into workspaces, and a crash left there.

They were written down in the home before they were made. Nothing of the kind is made any more.
"""

import fcntl
import os
import stat
from pathlib import Path

import msgspec

from bottega.workspaces.confine import Root


class Note(msgspec.Struct, frozen=True):
    workspace: str
    folders: tuple[str, ...]
    files: dict[str, str]


def sweep(state: Path, root: Root) -> None:
    """Those of one workspace, unless a sandbox of that version is still open there. Waits for the disk."""
    notes = sorted((state / "placeholders").glob("*.json"))
    if not notes:
        return
    lock = root.open_folder()
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in notes:
            _swept(path, root.path)
    except OSError:
        return
    finally:
        os.close(lock)


def _swept(path: Path, workspace: str) -> None:
    try:
        note = msgspec.json.decode(path.read_bytes(), type=Note)
    except msgspec.DecodeError:
        path.unlink(missing_ok=True)  # a crash cut it short, before anything was made
        return
    if note.workspace == workspace:
        _remove(note)
        path.unlink(missing_ok=True)


def _remove(note: Note) -> None:
    """Only what still is as it was made: whatever somebody put there stays."""
    for path, text in note.files.items():
        try:
            opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        with os.fdopen(opened, "rb") as file:
            regular = stat.S_ISREG(os.fstat(opened).st_mode)
            same = regular and file.read(len(text) + 1) == text.encode()
        if same and _beneath(path, note.workspace):
            os.unlink(path)
    for path in reversed(note.folders):
        if _beneath(path, note.workspace):
            try:
                os.rmdir(path)
            except OSError:
                continue


def _beneath(path: str, workspace: str) -> bool:
    """Whether no link has come on the way since."""
    above = os.path.dirname(path)
    return os.path.realpath(above) == above and f"{above}/".startswith(f"{workspace}/")
