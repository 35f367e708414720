"""A tool call on one line: what it was asked, in its own words, and how it ended.

`● read_file README.md  ✓ 12 lines · 3 ms`. Works for any tool: it looks at the shape of arguments and results, not at
the name.
"""

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import count, duration

Part = tuple[str, str]
"""A piece of text and its style."""

_LONGEST_ERROR = 240


def arguments(given: dict[str, Any]) -> str:
    """The arguments in a few words: the first text as it is, the rest as `name=value`."""
    said: list[str] = []
    for name, value in given.items():
        told = _value(value)
        if not told:
            continue
        plain = not said and isinstance(value, str | list)
        said.append(told if plain else f"{name}={told}")
    return one_line(" ".join(said))


def _value(value: Any) -> str:
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
    return _value(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode(errors="replace")


def outcome(text: str, is_error: bool) -> str:
    """What came of a call: how much, or why not."""
    found: Any = _decoded(text)
    if is_error:
        fault = _inner(found, "error")
        return one_line(str(_inner(fault, "message") or fault or text), _LONGEST_ERROR)
    return _amount(_inner(found, "result", found), text)


def _inner(value: Any, name: str, default: Any = None) -> Any:
    return cast("dict[str, Any]", value).get(name, default) if isinstance(value, dict) else default


def _decoded(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _amount(result: Any, text: str) -> str:
    if isinstance(result, list):
        return count(len(cast("list[Any]", result)), "entry")
    if isinstance(result, dict):
        fields = cast("dict[str, Any]", result)
        lists = [cast("list[Any]", v) for v in fields.values() if isinstance(v, list)]
        if len(lists) == 1:
            return count(len(lists[0]), "entry")
        content = fields.get("content") or fields.get("text") or fields.get("output")
        return _lines(content) if isinstance(content, str) else "done"
    if isinstance(result, str):
        return _lines(result)
    return one_line(text, 40) if result is not None else "done"


def _lines(text: str) -> str:
    if not text:
        return "nothing"
    if "\n" not in text.strip() and len(text) <= 40:
        return one_line(text)
    return count(len(text.rstrip("\n").split("\n")), "line")


def running(mark: str, name: str, said: str, waited: float, width: int) -> list[Part]:
    """The line while it runs."""
    after = f"  {duration(waited * 1000)}" if waited >= 1 else ""
    return _line((mark, "tool.running"), name, said, [(after, "dim")], width)


def finished(name: str, said: str, told: str, *, ok: bool, ms: int, width: int) -> list[Part]:
    """The line that stays."""
    if ok:
        after = [("  ✓ ", "tool.done"), (f"{told} · {duration(ms)}", "dim")]
        return _line(("●", "tool.done"), name, said, after, width)
    after = [("  ✗ ", "tool.failed"), (told, "tool.failed")]
    return _line(("●", "tool.failed"), name, said, after, width)


def _line(mark: Part, name: str, said: str, after: list[Part], width: int) -> list[Part]:
    used = len(mark[0]) + 1 + len(name) + sum(len(text) for text, _ in after)
    room = max(12, width - used - 2)
    shown = f" {one_line(said, room)}" if said else ""
    return [mark, (" ", ""), (one_line(name), "bold"), (shown, ""), *after]


def plain(parts: Iterable[Part]) -> str:
    return "".join(text for text, _ in parts)
