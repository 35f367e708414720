"""Patterns of paths, like those of a .gitignore: `secrets/**`, `*.pem`, `/build`, `docs/*.md`.

A pattern without a slash holds at any depth, one with a slash from the workspace's root; what it names, it names with
all that is beneath. Paths are canonical and relative to the workspace: links and `..` are gone before they come here.
"""

from functools import lru_cache

from bottega.approvals.glob import Glob, compiled, escaped, folded, folded_glob, matches, stretched

_DEEP: Glob = ("any depth",)
_Pattern = tuple[Glob, ...]


def check(pattern: str) -> None:
    """Raise ValueError, with the reason, for a pattern that makes no sense."""
    _compiled(pattern)


def matched(pattern: str, path: str, *, loosely: bool = False) -> bool:
    """Whether the path is, or lies beneath, what the pattern names.

    `loosely`, as a prohibition has to be taken: in any case and any spelling of the same letters.
    """
    segments = [part for part in path.split("/") if part not in ("", ".")]
    if not loosely:
        return stretched(_compiled(pattern), segments, _DEEP, matches)
    return stretched(_folded(pattern), list(map(folded, segments)), _DEEP, matches)


def is_folder(pattern: str, path: str) -> bool:
    """Whether the path is the folder that the pattern names, from the workspace: `web`, `packages/*`, `web/**`."""
    segments = [part for part in path.split("/") if part not in ("", ".")]
    return stretched(_folders(pattern), segments, _DEEP, matches)


def exactly(path: str) -> str:
    """The pattern that names this path."""
    return "/" + "/".join(map(escaped, path.split("/")))


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> _Pattern:
    if pattern.startswith("!"):
        raise ValueError("it begins with an exclamation mark; write a later rule that allows it")
    if pattern.startswith("~"):
        raise ValueError("it begins at a home folder; patterns begin at the workspace")
    if any(ord(char) < 32 for char in pattern):
        raise ValueError("it holds a control character")
    names = pattern.strip("/").split("/")
    if not names[0] or any(name in ("", ".", "..") for name in names):
        raise ValueError("a part of it is empty or made of dots")
    anywhere = "/" not in pattern.rstrip("/")
    segments = [_DEEP if name == "**" else compiled(name) for name in names]
    return (*((_DEEP,) if anywhere else ()), *_without_end(segments), _DEEP)


@lru_cache(maxsize=512)
def _folders(pattern: str) -> _Pattern:
    _compiled(pattern)  # raises for one that makes no sense
    names = pattern.strip("/").split("/")
    return tuple(_DEEP if name == "**" else compiled(name) for name in names)


def _without_end(segments: list[Glob]) -> list[Glob]:
    """`secrets/**` names `secrets` as well: to list a folder is to read what is in it."""
    while segments and segments[-1] == _DEEP:
        segments.pop()
    return segments


@lru_cache(maxsize=512)
def _folded(pattern: str) -> _Pattern:
    return tuple(each if each == _DEEP else folded_glob(each) for each in _compiled(pattern))
