"""Which of many paths somebody means who typed a few letters of one, in order: the likeliest first. Pure.

What stands in a name counts more than what stands in the folders above it, and what stands together more than what is
scattered; among equals the shorter path wins. Only so many are weighed as can be in a moment, the shallow ones first.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

LONGEST = 200
"""Letters that are looked for."""
_WEIGHED = 1_000
"""Paths of one rank that are weighed against each other."""
_STARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


class Named(msgspec.Struct, frozen=True):
    """Every path that can be found, in three parallel lists, the shallow and short ones first."""

    paths: tuple[str, ...]
    folders: int
    """How many of them are folders: they come with a slash at their end."""
    low: tuple[str, ...]
    """In small letters, without that slash."""
    names: tuple[str, ...]
    """The last step of each, in small letters."""


def named(files: Iterable[str]) -> Named:
    """These files, and the folders that they lie in."""
    folders: set[str] = set()
    every = list(files)
    for path in every:
        at = path.rfind("/")
        while at > 0 and (folder := path[: at + 1]) not in folders:
            folders.add(folder)
            at = path.rfind("/", 0, at)
    every += folders
    every.sort(key=lambda path: (path.count("/", 0, -1), len(path), path))
    low = tuple(path.rstrip("/").lower() for path in every)
    names = tuple(path.rpartition("/")[2] for path in low)
    return Named(tuple(every), len(folders), low, names)


def match(listed: Named, wanted: str, limit: int, within: str = "") -> list[str]:
    """At most so many paths that begin with `within`, the best first; without letters, the shallowest ones."""
    letters = "".join(wanted[:LONGEST].lower().split())
    allowed: Callable[[int], bool] = lambda n: (  # noqa: E731 - one of two, chosen once
        not within or (listed.paths[n].startswith(within) and listed.paths[n] != within)
    )
    if not letters:
        every = (path for n, path in enumerate(listed.paths) if allowed(n))
        return [path for path, _ in zip(every, range(limit), strict=False)]
    found: dict[int, None] = {}
    for rank in _ranks(listed, letters):
        fresh = [n for n in rank if n not in found and allowed(n)][:_WEIGHED]
        fresh.sort(key=lambda n: _weight(listed, n, letters))
        found.update(dict.fromkeys(fresh))
        if len(found) >= limit:
            break
    return [listed.paths[n] for n in list(found)[:limit]]


def _ranks(listed: Named, letters: str) -> Iterator[Sequence[int]]:
    """The places of all that fit, from the best kind of fit to the worst."""
    scattered = re.compile("".join(f"[^{re.escape(each)}]*+{re.escape(each)}" for each in letters))
    if "/" not in letters:
        yield [n for n, name in enumerate(listed.names) if name.startswith(letters)]
        yield [n for n, name in enumerate(listed.names) if letters in name]
        yield [n for n, name in enumerate(listed.names) if scattered.match(name)]
    yield [n for n, path in enumerate(listed.low) if letters in path]
    yield [n for n, path in enumerate(listed.low) if scattered.match(path)]


def _weight(listed: Named, n: int, letters: str) -> tuple[bool, bool, int, int]:
    """Less is better; among the paths of one rank."""
    name = listed.names[n]
    whole = name == letters or name.partition(".")[0] == letters
    starts = _starts(listed.paths[n])
    return (
        not whole,
        not _begins_words(starts, letters),
        _span(listed.low[n], letters),
        len(name) if letters in name else len(listed.low[n]),
    )


def _starts(path: str) -> list[str]:
    """The words of its name, in small letters: `newHTTPFile_2.py` has five."""
    name = path.rstrip("/").rpartition("/")[2]
    return [word.lower() for word in _STARTS.findall(name)]


def _begins_words(words: list[str], letters: str) -> bool:
    """Whether the letters are begins of these words, in order: `pmf` or `parmatfi` of `parse_match_file`."""
    left = letters
    for word in words:
        shared = next(
            (n for n in range(min(len(left), len(word)), 0, -1) if word.startswith(left[:n])), 0
        )
        left = left[shared:]
    return not left


def _span(low: str, letters: str) -> int:
    """How many signs the letters are spread over, read from the end: there the name stands."""
    if letters in low:
        return len(letters)
    end = at = len(low)
    for number, letter in enumerate(reversed(letters)):
        at = low.rfind(letter, 0, at)
        if number == 0:
            end = at
    return end - at + 1
