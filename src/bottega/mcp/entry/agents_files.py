"""Paths in a server's entry that lead to where agents write: into any project that there ever was.

A path is judged by every link on its way, by where it ends, and by the identity of each folder above it, so that
neither a link nor a second mount of a project is another spelling of it.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bottega.mcp.server import FOLDER
from bottega.regular_file import read_regular
from bottega.workspaces.own_code import is_beneath, links_on

_IN_FOLDER = re.compile(re.escape(FOLDER) + r"[^\s:;,\"'|&<>()]*")
_WORD = re.compile(r"[^\s:;,\"'`|&<>(){}=\[\]]+")
_PART = re.compile(r"[^:;,\"'`|&<>(){}=\[\]]+")
"""The same where names may hold spaces."""
_SHORT = re.compile(r"-\w")
"""An option of one letter with its value, such as `-I/opt/lib`."""
_LARGEST = 16 * 1024
"""Bytes of a script that is looked at: one that only starts another is short."""
_INSTALLED = ("*.pth", "*.egg-link", "__editable__*.py", "*.dist-info/direct_url.json")
"""Files among installed packages that lead Python elsewhere."""


class AgentsFiles:
    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = {each for folder in folders for each in (folder, os.path.realpath(folder))}
        self._identities = {found for each in self._folders if (found := _identity(each))}

    def holds(self, path: str) -> bool:
        """Whether a path, from the root of the file system, leads there or passes through."""
        path = os.path.normpath("/" + path.lstrip("/"))
        real = os.path.realpath(path)
        if any(is_beneath(each, folder) for each in (path, real) for folder in self._folders):
            return True
        if any(is_beneath(link, each) for link in links_on(path) for each in self._folders):
            return True
        return any(_identity(str(each)) in self._identities for each in (real, *Path(real).parents))

    def named_in(self, text: str) -> str:
        """The first path in a text that leads there; empty: none. What is named by `{folder}` does not count."""
        text = _IN_FOLDER.sub(" ", text)
        for folder in self._folders:  # its name may hold what ends a word
            if re.search(rf"(?<![\w./~-]){re.escape(folder)}(?![\w.~-])", text):
                return folder
        return next(filter(self.holds, dict.fromkeys(_paths(text))), "")

    def used_by(self, program: str) -> str:
        """A path that leads there in a script, or among the packages that are installed where a program is."""
        for text in (*_script(program), *_elsewhere(program)):
            if found := self.named_in(text):
                return found
        return ""


def _paths(text: str) -> Iterator[str]:
    """Every part of a text that may be a path; a program starts in `/`, so relative ones count from there."""
    for word in (text, *_PART.findall(text), *_WORD.findall(text)):
        if "/" in word:
            yield word
            yield from (word[2:],) if _SHORT.match(word) else ()


def _script(program: str) -> Iterator[str]:
    try:
        head = read_regular(Path(program), _LARGEST)
    except (OSError, ValueError):
        return
    if head.startswith(b"#!"):
        yield os.fsdecode(head)


def _elsewhere(program: str) -> Iterator[str]:
    """What leads the Python of a virtual environment, or of a folder such as `~/.local`, to code elsewhere."""
    above = Path(program).parent.parent / "lib"
    for pattern in _INSTALLED:
        for each in above.glob(f"python3*/site-packages/{pattern}"):
            try:
                yield os.fsdecode(read_regular(each, _LARGEST))
            except (OSError, ValueError):
                continue


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
