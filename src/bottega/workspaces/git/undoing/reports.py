"""What was undone, in sentences for whoever ran the command: one for each folder and reason."""

import logging
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bottega.workspaces.git.judge import HOOK
from bottega.workspaces.gitfiles import is_of_git

_log = logging.getLogger(__name__)
UNFINISHED = (
    "Not all of the folder could be looked at for planted repositories: it holds too many folders or settings, or some"
    " that cannot be listed. Use no git in it until they are deleted; no command runs here until then."
)
LEFT = "{}. Use no git in this folder until it is deleted; no command runs here until then."
UNJUDGED = "what could not be judged"
CROWD = "one of more ways into a repository than can be looked at"
_WHOLESALE = (
    "The folder could not be checked for planted repositories ({}), so what is new of git's in it was put back or taken"
    " away.{} No command runs here until it can be checked."
)
_INDEX = " Indexes that could not be judged went with it; `git reset` makes them anew."
_NOT_ALL = " Not all could be looked at: use no git in {} until it can be."
ANEW = (
    "What is planted for git in this folder comes again whenever it is undone. Use no git in it; no command runs here"
    " until it stays away."
)
UNCHECKED = "The folder could not be checked for planted repositories."
STAGED = "versions of files that git would run ({}), to be written by `git restore`"
LIE = (
    "another content than its name says, for a file that git would run ({}); `git index-pack` makes the table of a pack"
    " anew"
)
OBJECT = "objects that are other than their names say (`git fsck` tells which are missing)"
UNDER_WAY = (
    "A {} is under way in this folder ({!r}), begun by a command. Where it is left so, `--continue` and `--abort` write"
    " what the command chose, as a checkout of its branch does."
)
_TOLD = 1 << 20
"""Bytes of old reports after which they are forgotten."""
_NAMED = 3
"""Files that are named of those that one sentence is about."""


class Reports:
    """What was undone in one workspace, by all of its sandboxes: a file in its state. Waits for the disk."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.told = 0
        """How far one of them has read."""

    def begin(self) -> None:
        """Read what comes from now on."""
        with suppress(OSError):
            if self._place.stat().st_size > _TOLD:
                self._place.unlink()
        with suppress(OSError):
            self.told = self._place.stat().st_size

    def read(self) -> tuple[str, ...]:
        try:
            with self._place.open("rb") as file:
                file.seek(self.told)
                said = file.read(_TOLD)
        except OSError:
            return ()
        self.told += len(said)
        return tuple(said.decode("utf-8", "replace").splitlines())

    def write(self, given: Iterable[str]) -> None:
        said = [*given]
        if not said:
            return
        for each in said:
            _log.warning("planted for git: %s", each)
        with suppress(OSError), self._place.open("ab") as file:
            file.write("".join(f"{each}\n" for each in said).encode("utf-8", "replace"))


class Undone(NamedTuple):
    path: str
    why: str
    kept: str
    """Where the copy is, in the home; empty: none could be made."""
    problem: str = ""
    """It could not be undone."""


def sentences(undone: Iterable[Undone]) -> list[str]:
    grouped: dict[tuple[str, str], list[Undone]] = {}
    said: list[str] = []
    for each in undone:
        if each.problem:
            said.append(
                f"{shown(each.path)!r} holds {each.why} and could not be undone: {each.problem}"
            )
        else:
            folder = "" if each.why == CROWD else os.path.dirname(each.path)
            grouped.setdefault((folder, each.why), []).append(each)
    for (_, why), group in grouped.items():
        names = ", ".join(repr(shown(each.path)) for each in group[:_NAMED])
        more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
        said.append(
            f"Undone: {names}{more} held {why}, which could run outside the sandbox with the person's next git"
            f" command. {_copy(group[0])}{_AGAIN if _is_of_project(group[0]) else ''}"
        )
    return said


_AGAIN = " If it came with a branch, the person reads it and gets it with `git checkout -f`, once nobody works here."


def wholesale(problem: Exception, failed: Collection[str], *, has_lost_index: bool) -> str:
    """Of a folder that could not be judged, with the repositories in which something may be left."""
    more = _INDEX if has_lost_index else ""
    if failed:
        more = _NOT_ALL.format(
            ", ".join(repr(shown(each or ".")) for each in sorted(failed)[:_NAMED])
        )
    return _WHOLESALE.format(shown(str(problem)), more)


def begun(found: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Of operations that are under way, by the file that says so, and were not before."""
    fresh = ((file, what) for file, what in found.items() if file not in known)
    return [UNDER_WAY.format(what, shown(file)) for file, what in fresh]


def _is_of_project(undone: Undone) -> bool:
    """Whether it is a hook among the files of the project, which a checkout may change."""
    return undone.why == HOOK and not is_of_git(undone.path)


def _copy(undone: Undone) -> str:
    if undone.why == CROWD:
        return "Of these no copy is kept."
    if not undone.kept:
        return "No copy could be kept in Bottega's home."
    return f"A copy is kept in Bottega's home: {undone.kept}."


def shown(path: str) -> str:
    """A path as one line of text."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)[
        :300
    ]
