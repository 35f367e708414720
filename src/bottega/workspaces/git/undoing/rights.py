"""The owner's rights to folders and files of our own, as they were before any program ran.

Landlock knows no `chmod`: a program of the same user can take away the rights of whatever it knows the path of, and a
look that cannot read what it remembers would find nothing. Whose a file is may give them back. To what is in the home
its owner has all rights, whoever knows how they were: those who come after a death know nothing.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

MOST = 200
"""Files of one folder whose rights are remembered."""


class Rights:
    """Of every folder on the way to that one, and of what lies in it and in the one above. Waits for the disk."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        """Paths and rights, those above first."""

    def learn(self, folder: Path) -> None:
        """Remember what they are now; what is known already stays as it was."""
        way = [*reversed(folder.parents), folder]
        files = [each for place in way[-2:] for each in _files(place)]
        for path in (*map(str, way), *files):
            with suppress(OSError):
                found = os.stat(path, follow_symlinks=False)
                if found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode):
                    self._known.setdefault(path, found.st_mode & stat.S_IRWXU)

    def give_back(self) -> None:
        """Have all of them again, from above: nothing below can be reached otherwise."""
        for path, rights in self._known.items():
            with suppress(OSError):  # gone, or somebody else's by now
                found = os.stat(path, follow_symlinks=False)
                if found.st_mode & rights != rights and not stat.S_ISLNK(found.st_mode):
                    os.chmod(path, stat.S_IMODE(found.st_mode) | rights)


def claim(sandboxes: Path) -> None:
    """Have all rights to what is known of workspaces, in the sandboxes' folder of a home. Waits for the disk."""
    known = sandboxes / "git"
    for each in (sandboxes.parent, sandboxes, sandboxes / "quarantine", known):
        _claim(each, stat.S_IRWXU)
    for state in _folders(known):
        _claim(state, stat.S_IRWXU)
        for path in _files(state):
            _claim(path, stat.S_IRUSR | stat.S_IWUSR)


def _claim(path: str | Path, rights: int) -> None:
    with suppress(OSError):
        found = os.stat(path, follow_symlinks=False)
        is_ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode)
        if is_ours and found.st_mode & rights != rights:
            os.chmod(path, stat.S_IMODE(found.st_mode) | rights)


def _folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [each.path for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _files(folder: str | Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [each.path for each, _ in zip(entries, range(MOST), strict=False)]
    except OSError:
        return []
