"""Keeps what a model reads at a readable size: head, tail, and a sentence for what is left out.

A structured result keeps its structure where it can: its longest texts are cut first.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

from bottega.tools.tool import to_json

LIMIT = 10_000
"""Characters of output; the sentence in between comes on top."""
_LEAST = 200
"""A text shorter than this says too little: then the whole is cut as one text."""


def cut(text: str, kept: str = "", limit: int = LIMIT) -> str:
    """The text, or its two ends with a sentence between; `kept` says where all of it is."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 2], text[-(limit - limit // 2) :]
    return joined(head, tail, len(text), kept)


def joined(head: str, tail: str, total: int, kept: str = "") -> str:
    """The two ends of a text of `total` characters, with a sentence between."""
    left = total - len(head) - len(tail)
    where = f" {kept}" if kept else ""
    return f"{head}\n\n[… {left:,} of {total:,} characters are left out here.{where}]\n\n{tail}"


def bounded(value: Any, kept: str = "", limit: int = LIMIT) -> Any:
    """A value of plain JSON, no larger than the limit; the same value if it is small."""
    if isinstance(value, str):
        return cut(value, kept, limit)
    if weight(value) <= limit:
        return value
    level = _level(value, limit)
    if level < _LEAST:
        return cut(to_json(value), kept, limit)
    return _mapped(value, lambda text: cut(text, kept, level))


def weight(value: Any) -> int:
    """About how many characters a model reads."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return 2 + sum(len(name) + 4 + weight(each) for name, each in entries.items())
    if isinstance(value, list):
        return 2 + sum(1 + weight(each) for each in cast("list[Any]", value))
    return 5


def _level(value: Any, limit: int) -> int:
    """The length at which to cut long texts so that all fit together; 0 where none would do."""
    lengths = sorted(len(text) for text in _texts(value))
    room = limit - (weight(value) - sum(lengths))
    for index, length in enumerate(lengths):
        share = room // (len(lengths) - index)
        if length > share:
            return max(share, 0)
        room -= length
    return 0


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts(each)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {name: _mapped(each, change) for name, each in entries.items()}
    if isinstance(value, list):
        return [_mapped(each, change) for each in cast("list[Any]", value)]
    return value
