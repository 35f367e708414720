"""A tool call on one line: what it does, and how it goes or how it ended.

`● read README.md  ✓ 12 lines · 3 ms`. The line keeps how it ended, whatever has to be cut.
"""

from collections.abc import Iterable
from typing import Any, cast

import msgspec
from rich.cells import cell_len, set_cell_size

from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import duration

Part = tuple[str, str]
"""A piece of text and its style."""


def arguments(given: dict[str, Any]) -> str:
    """The arguments in a few words: the first text as it is, the rest as `name=value`."""
    said: list[str] = []
    for name, value in given.items():
        words = told(value)
        if not words:
            continue
        plain = not said and isinstance(value, str | list)
        said.append(words if plain else f"{name}={words}")
    return one_line(" ".join(said))


def told(value: Any) -> str:
    """One value in a few words."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(filter(None, map(_element, cast("list[Any]", value))))
    if isinstance(value, dict):
        return _json(value)
    return "" if value is None else _json(value)


def _element(value: Any) -> str:
    """One of many: an object is known by its first text."""
    if isinstance(value, dict):
        texts = (each for each in cast("dict[str, Any]", value).values() if isinstance(each, str))
        return next(texts, _json(value))
    return told(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode(errors="replace")


def line(mark: Part, verb: str, about: str, after: list[Part], width: int) -> list[Part]:
    """Mark, verb, what it is about, cut where there is no room, and what comes after it."""
    used = cell_len(mark[0]) + 1 + cell_len(verb) + sum(cell_len(text) for text, _ in after)
    room = max(12, width - used - 2)
    shown = f" {fitted(one_line(about), room)}" if about else ""
    return [mark, (" ", ""), (verb, "bold"), (shown, ""), *after]


def ended(text: str, ms: int) -> str:
    """`12 lines · 3 ms`; what took no time to speak of has none."""
    return " · ".join(filter(None, (text, duration(ms) if ms else "")))


def fitted(text: str, cells: int) -> str:
    """The text in so many columns, cut with `…`."""
    if cell_len(text) <= cells:
        return text
    return f"{set_cell_size(text, max(1, cells - 1)).rstrip()}…"


def plain(parts: Iterable[Part]) -> str:
    return "".join(text for text, _ in parts)
