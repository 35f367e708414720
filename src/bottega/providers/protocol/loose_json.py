"""JSON as providers really send it. The strict reader comes first; this is the second look."""

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any, TypeVar, cast

import msgspec

from bottega.messages.json_size import MOST_ANSWER, MOST_ARGUMENTS, Crowded, check_size
from bottega.providers.protocol.surrogates import mended

Shape = TypeVar("Shape")

MAX_DEPTH = 200
"""What nests deeper is meant to do harm, and could not be read back from where it is stored."""

LARGEST_ODD = 16 * 1024 * 1024
"""Bytes of what is looked at again: what is larger is media, and those are plain letters."""

REFUSALS = (ValueError, RecursionError)
"""What the strict reader raises: msgspec's errors and bad UTF-8 are both `ValueError`."""


def second_look(data: bytes, shape: type[Shape], keep: frozenset[str]) -> Shape | None:
    """Read what the strict reader refused (half characters, bad UTF-8, `NaN`); None if no JSON.

    Strings under the keys in `keep` may still hold half characters: they are pieces of a text.
    """
    if len(data) > LARGEST_ODD:
        return None
    try:
        check_size(data, MOST_ANSWER)
        found = json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None)
        return msgspec.convert(mended(found, keep), shape)
    except REFUSALS:
        return None


def arguments(text: str) -> dict[str, Any] | None:
    """A call's arguments: the JSON object, `{}` for an empty text, None for anything else."""
    if not text.strip():
        return {}
    try:
        check_size(text, MOST_ARGUMENTS)
    except Crowded:
        return None
    try:
        found = msgspec.json.decode(text)
    except REFUSALS:
        found = _with_half_characters(text)
    return cast("dict[str, Any]", found) if isinstance(found, dict) and shallow(found) else None


def shallow(found: Any) -> bool:
    """Whether a decoded value nests no deeper than can be stored."""
    level = [found]
    for _ in range(MAX_DEPTH):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return True
    return False


def kept(found: Any) -> Any:
    """A value as it can be stored, with half characters mended; None if it nests too deeply."""
    return mended(found) if shallow(found) else None


def entries(found: Any) -> list[dict[str, Any]]:
    """The objects in a list, whatever else it may hold, or be."""
    if not isinstance(found, list):
        return []
    listed = cast("list[Any]", found)
    return [cast("dict[str, Any]", entry) for entry in listed if isinstance(entry, dict)]


def text_in(found: Any, name: str) -> str:
    """The string of that name in an object; empty if there is none."""
    if not isinstance(found, dict):
        return ""
    value = cast("dict[str, Any]", found).get(name)
    return value if isinstance(value, str) else ""


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _with_half_characters(text: str) -> Any:
    if "\\u" not in text:
        return None
    try:
        return mended(json.loads(text, parse_constant=_refuse, parse_float=_finite))
    except REFUSALS:
        return None


def _refuse(word: str) -> None:
    raise ValueError(word)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number
