"""Takes secrets out of what another side said, however it spelled them when it repeated them.

Where a text was cut, which an ellipsis tells, a part of one may be left: its beginning before, or its end behind.
"""

import base64
import html
import json
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote

_CUT = "…"
_MOST_CUTS = 200
"""A text with more of them was not cut by us so often."""
_SHORTEST_PART = 4
"""Letters; fewer say too little to hide."""


def redact(text: str, secrets: Iterable[str], mark: str, longest: int | None = None) -> str:
    """The text with `mark` in place of each of these secrets, in any of their spellings.

    `longest`: about so many characters of it, without what the cut might leave of a secret.
    """
    spellings = [spelling for secret in secrets for spelling in _spellings(secret)]
    margin = max(map(len, spellings), default=0)
    is_cut = longest is not None and len(text) > longest + margin
    if longest is not None:
        text = text[: longest + margin]
    for spelling in spellings:
        text = text.replace(spelling, mark)
        if 0 < text.count(_CUT) <= _MOST_CUTS:
            text = _without_parts(text, spelling, mark)
    return text[: len(text) - margin] if is_cut else text


def _without_parts(text: str, spelling: str, mark: str) -> str:
    first, *others = text.split(_CUT)
    pieces = [first, *(_without_end(each, spelling, mark) for each in others)]
    *others, last = pieces
    return _CUT.join([*(_without_beginning(each, spelling, mark) for each in others), last])


def _without_beginning(text: str, spelling: str, mark: str) -> str:
    """The text without what its secret begins with, at its end."""
    for length in range(len(spelling) - 1, _SHORTEST_PART - 1, -1):
        if text.endswith(spelling[:length]):
            return text[:-length] + mark
    return text


def _without_end(text: str, spelling: str, mark: str) -> str:
    """The text without what its secret ends with, at its beginning."""
    for length in range(len(spelling) - 1, _SHORTEST_PART - 1, -1):
        if text.startswith(spelling[-length:]):
            return mark + text[length:]
    return text


@lru_cache(256)
def _spellings(secret: str) -> tuple[str, ...]:
    """As programs write what they repeat: in an address, in JSON, in a page, in base64, in one case."""
    plain = {secret, secret.strip()}
    written = {
        *plain,
        *(quote(each, safe="") for each in plain),
        *(quote(each) for each in plain),
        *(json.dumps(each)[1:-1] for each in plain),
        *(html.escape(each) for each in plain),
        *(base64.b64encode(each.encode()).decode().rstrip("=") for each in plain),
        *(base64.urlsafe_b64encode(each.encode()).decode().rstrip("=") for each in plain),
    }
    cases = {each for some in written for each in (some, some.lower(), some.upper())}
    return tuple(sorted(cases - {""}, key=len, reverse=True))
