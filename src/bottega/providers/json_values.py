"""JSON on its way out, and numbers that may be anything on their way in."""

from typing import Any

import msgspec

from bottega.providers.surrogates import mended

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


def count(found: Any) -> int:
    """The number of tokens, if it is one; sums of a few stay below 2^53."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0
    return int(found) if 0 <= found < 2**50 else 0
