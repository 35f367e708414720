"""JSON values that may be anything: looked at without belief, made fit to be sent and stored."""

from collections.abc import Iterable
from math import isfinite
from typing import Any, cast

import msgspec

from bottega.providers.loose_json import arguments
from bottega.providers.surrogates import mended

MAX_DEPTH = 200
"""Arguments nested deeper than this could not be read back from the log they are stored in."""

_encode = msgspec.json.encode


def encode(value: Any) -> bytes:
    """The bytes to send; half characters in what a person or a tool wrote become U+FFFD."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(mended(value))


def written(value: Any) -> str:
    """The JSON text of what a model said, whatever it is."""
    try:
        return encode(value).decode()
    except RecursionError:
        return "(nested too deeply)"


def call_input(text: str) -> tuple[dict[str, Any], str]:
    """A call's arguments, and the text itself where it is no JSON object that can be stored."""
    found = arguments(text)
    return (found, "") if found is not None and is_object(found) else ({}, text)


def is_object(found: Any) -> bool:
    """Whether this is a JSON object that can be stored: of finite numbers, and not too deep."""
    if not isinstance(found, dict):
        return False
    level: list[Any] = [found]
    for _ in range(MAX_DEPTH):
        level = [child for value in level for child in _children(value)]
        if any(isinstance(value, float) and not isfinite(value) for value in level):
            return False
        if not level:
            return True
    return False


def kept(raw: dict[str, Any]) -> dict[str, Any] | None:
    """A provider's own item, without half characters; None where it cannot be stored."""
    return mended(raw) if is_object(raw) else None


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def count(found: Any) -> int:
    """The number of tokens, if it is one; sums of a few stay below 2^53."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0
    return int(found) if 0 <= found < 2**50 else 0
