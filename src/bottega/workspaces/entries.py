"""The entries of a folder, read up to a bound and put in order piece by piece.

Whoever made a folder chose how many there are. What sorts a million of them in one call keeps every other thread of the
process waiting meanwhile, and so does what lets go of them.
"""

import heapq
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")

MOST = 100_000
"""Entries of one folder that are read."""
_AT_ONCE = 2_000
"""Things that are put in order by one call."""


def entries(folder: int | str, most: int = MOST) -> "tuple[list[os.DirEntry[str]], bool]":
    """At most so many entries, as the disk has them, and whether these are all."""
    with os.scandir(folder) as found:
        return list(islice(found, most)), next(found, None) is None


def in_order(things: Iterable[T], key: Callable[[T], Any]) -> Iterator[T]:
    """Sorted; other threads have their turns meanwhile."""
    things = iter(things)
    runs: list[list[T]] = []
    while run := list(islice(things, _AT_ONCE)):
        run.sort(key=key)
        runs.append(run)
    return heapq.merge(*runs, key=key) if len(runs) > 1 else iter(runs[0] if runs else ())


def name_of(entry: "os.DirEntry[str]") -> str:
    return entry.name
