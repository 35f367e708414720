"""Files that have a second name: a hard link to what a rule denies is that same file, and is denied like it.

Only a file with more than one link can be one. Those that a rule denies are then looked for once, by their inodes.
"""

import os
import stat
import time
from collections.abc import Iterator
from functools import cached_property

from bottega.approvals.rule import Rule, hidden, is_hidden
from bottega.errors import Problem, Refused
from bottega.workspaces.confine import Root

_MOST = 1_000_000
_SECONDS = 5.0
_Inode = tuple[int, int]


class Unclear(Refused):
    """It cannot be told whether a rule denies this file under another name."""

    code = "unclear_link"


class Linked:
    """For one tool and the calls of one answer; looks at the disk, so not for the event loop."""

    def __init__(self, root: Root, rules: tuple[Rule, ...], tool: str) -> None:
        self._root = root
        self._rules = rules
        self._tool = tool

    def denied(self, path: str) -> str:
        """The name under which a rule denies this file; empty: none does."""
        inode = self._inode(path)
        if inode is None:
            return ""
        names, whole = self._names
        if inode not in names and not whole:
            raise Unclear(
                f"The file {path!r} has another name, and too many files are here to see whether a rule denies it.",
                hint="Copy the file, or name the denied folder in the rule.",
            )
        return names.get(inode, "")

    def hides(self, path: str) -> bool:
        """Whether a rule denies this file, under this name or another."""
        try:
            return is_hidden(self._rules, self._tool, path) or bool(self.denied(path))
        except Unclear:
            return True

    def _inode(self, path: str) -> _Inode | None:
        try:
            found = self._root.stat(path, follow=False)
        except (Problem, OSError):
            return None
        several = stat.S_ISREG(found.st_mode) and found.st_nlink > 1
        return (found.st_dev, found.st_ino) if several else None

    @cached_property
    def _names(self) -> tuple[dict[_Inode, str], bool]:
        """By inode, a name of each denied file with several links; and whether all were looked at."""
        names: dict[_Inode, str] = {}
        until = time.monotonic() + _SECONDS
        for number, (path, name, folder) in enumerate(self._files()):
            if number > _MOST or (number % 1_000 == 0 and time.monotonic() > until):
                return names, False
            if not is_hidden(self._rules, self._tool, path):
                continue
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
                names[found.st_dev, found.st_ino] = path
        return names, True

    def _files(self) -> Iterator[tuple[str, str, int]]:
        """Every file and folder: its path from the workspace, its name and the open folder that it is in."""
        left = [("", ".")]
        while left:
            above, name = left.pop()
            prefix = "" if name == "." else f"{above}{name}/"
            try:
                opened = self._root.open_folder(prefix or ".", follow=False)
            except (Problem, OSError):  # it went, or may not be read
                continue
            try:
                with os.scandir(opened) as found:
                    for entry in found:
                        if entry.is_dir(follow_symlinks=False):
                            left.append((prefix, entry.name))
                        yield prefix + entry.name, entry.name, opened
            finally:
                os.close(opened)


def linked(root: Root, rules: tuple[Rule, ...], tool: str) -> Linked | None:
    """What to ask for second names; None: no rule denies this tool any path."""
    return Linked(root, rules, tool) if hidden(rules, tool) else None
