"""A pattern for paths: `*` and `?` within a name, `**` for any folders, `{a,b}`, `[a-z]`.

A pattern comes from a model: matching takes time that grows with the path, never exponentially.
"""

import fnmatch
import re
from collections.abc import Iterator

from bottega.errors import BadUsage

_WAYS = 64
_ANY = None
"""Stands for `**`."""


class Pattern:
    def __init__(self, pattern: str) -> None:
        self._ways = [_parts(way) for way in _expanded(pattern)]

    def matches(self, path: str) -> bool:
        """Whether a path (relative, with `/`) is meant; without a `/` in the pattern, its name alone counts."""
        names = path.split("/")
        return any(_fits(way, names) for way in self._ways)


def last_name(pattern: str) -> str:
    """What the name of every file that is meant must match; empty where that cannot be said."""
    name = pattern.rpartition("/")[2]
    is_plain = name.isascii() and not set("{}[]\\") & set(pattern) and "**" not in name
    return name if is_plain else ""


def is_hidden(path: str) -> bool:
    """Whether a path names a hidden file or passes a hidden folder; a pattern, whether it asks for such."""
    return any(name[:1] == "." and name.strip(".") for name in path.split("/"))


def _parts(way: str) -> list[re.Pattern[str] | None]:
    names = [name for name in way.split("/") if name not in ("", ".")]
    if way.endswith("/"):
        names.append("**")
    if "/" not in way.rstrip("/"):
        names.insert(0, "**")
    return [
        _ANY if name == "**" else re.compile(fnmatch.translate(_bracketed(name)))
        for index, name in enumerate(names)
        if not (name == "**" and index and names[index - 1] == "**")
    ]


def _bracketed(name: str) -> str:
    return name.replace("[^", "[!")


def _fits(way: list[re.Pattern[str] | None], names: list[str]) -> bool:
    """Two fingers: after the last `**` that fits, go back no further than to it."""
    at = name = 0
    back = -1
    begun = 0
    while name < len(names):
        part = way[at] if at < len(way) else False
        if part is _ANY:
            back, begun, at = at, name, at + 1
        elif part and part.match(names[name]):
            at, name = at + 1, name + 1
        elif back >= 0:
            begun += 1
            at, name = back + 1, begun
        else:
            return False
    return at == len(way)


def _expanded(pattern: str) -> list[str]:
    """Every way that the braces leave open."""
    found: list[str] = []
    for way in _opened(pattern):
        found.append(way)
        if len(found) > _WAYS:
            raise BadUsage(f"The pattern {pattern[:100]!r} leaves more than {_WAYS} ways open.")
    return found


def _opened(pattern: str) -> Iterator[str]:
    inner = re.search(r"\{([^{},]*,[^{}]*)\}", pattern)
    if inner is None:
        yield pattern
        return
    for choice in inner[1].split(","):
        yield from _opened(pattern[: inner.start()] + choice + pattern[inner.end() :])
