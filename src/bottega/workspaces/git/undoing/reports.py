"""What was undone, in sentences for whoever ran the command: one for each folder and reason."""

import os
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from bottega.workspaces.gitfiles import is_of_git

HOOK = "a hook that git would run"
UNFINISHED = (
    "Not all of the folder could be looked at for planted repositories: it holds too many folders or settings, or some"
    " that cannot be listed. Use no git in it until they are deleted; no command runs here until then."
)
LEFT = "{}. Use no git in this folder until it is deleted; no command runs here until then."
UNJUDGED = "what could not be judged"
WHOLESALE = (
    "The folder could not be checked for planted repositories ({}), so everything of git's in it that is new was put"
    " back or taken away, indexes among it (`git reset` makes them anew). No command runs here until it can be checked."
)
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
_NAMED = 3
"""Files that are named of those that one sentence is about."""


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
            grouped.setdefault((os.path.dirname(each.path), each.why), []).append(each)
    for (_, why), group in grouped.items():
        names = ", ".join(repr(shown(each.path)) for each in group[:_NAMED])
        more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
        said.append(
            f"Undone: {names}{more} held {why}, which could run outside the sandbox with the person's next git"
            f" command. {_copy(group[0])}{_AGAIN if _is_of_project(group[0]) else ''}"
        )
    return said


_AGAIN = " If it came with a branch, the person reads it and gets it with `git checkout -f`, once nobody works here."


def begun(found: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Of operations that are under way, by the file that says so, and were not before."""
    fresh = ((file, what) for file, what in found.items() if file not in known)
    return [UNDER_WAY.format(what, shown(file)) for file, what in fresh]


def _is_of_project(undone: Undone) -> bool:
    """Whether it is a hook among the files of the project, which a checkout may change."""
    return undone.why == HOOK and not is_of_git(undone.path)


def _copy(undone: Undone) -> str:
    if not undone.kept:
        return "No copy could be kept in Bottega's home."
    return f"A copy is kept in Bottega's home: {undone.kept}."


def shown(path: str) -> str:
    """A path as one line of text."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)[
        :300
    ]
