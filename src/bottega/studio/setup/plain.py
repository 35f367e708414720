"""What a file of settings can hold: texts, numbers, truths, lists and tables, and nothing odd inside them."""

import math
from collections.abc import Mapping
from typing import Any, cast

from bottega.errors import BadUsage

_DEEPEST = 6
_LARGEST = 2**63 - 1


def check_plain(value: Any, deep: int = 0) -> None:
    """Refuse what no file can hold, or what could not be told again as JSON."""
    if deep > _DEEPEST:
        raise BadUsage("That is nested too deeply to be a setting.")
    match value:
        case Mapping():
            for name, each in cast("Mapping[str, Any]", value).items():
                check_plain(name, deep + 1)
                check_plain(each, deep + 1)
        case list() | tuple():
            for each in cast("list[Any]", value):
                if each is None:
                    raise BadUsage("A list of a setting holds no null.")
                check_plain(each, deep + 1)
        case str() if not is_text(value):
            raise BadUsage("A setting holds characters that are no text.")
        case int() if abs(value) > _LARGEST:
            raise BadUsage("A number of a setting is too large.")
        case float() if not math.isfinite(value):
            raise BadUsage("A number of a setting is not finite.")
        case _:
            return


def is_text(value: str) -> bool:
    """Whether this can be stored and sent: no NUL, no half of a character."""
    return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)
