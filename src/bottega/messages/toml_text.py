"""TOML that anybody may have written, decoded in bounded time."""

import re
import tomllib
from typing import Any

MOST_PARTS = 64
"""Names in one dotted key: the decoder takes the square of their number."""

_LONG_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}""")


def load_toml(text: str) -> dict[str, Any]:
    """What the text says; `TOMLDecodeError`, with the reason, for one that says nothing."""
    if _LONG_KEY.search(text):
        raise tomllib.TOMLDecodeError(f"a key has more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # from what makes numbers and dates
        raise tomllib.TOMLDecodeError("a number in it is too long, or a date is none") from None
