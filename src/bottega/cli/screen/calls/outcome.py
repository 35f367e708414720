"""How a call ended, in a few words: how much it found, its exit code, or the first line of why not.

Known by the shape of the result, not by the tool's name, so that a tool of anybody is told as well.
"""

from typing import Any, Literal, NamedTuple, cast

import msgspec

from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import count

Mark = Literal["done", "failed", "denied"]

_LONGEST = 240
_NOUNS = {
    "matches": "match",
    "files": "file",
    "paths": "file",
    "entries": "entry",
    "todos": "to-do",
    "results": "result",
}


class Outcome(NamedTuple):
    mark: Mark
    told: str
    printed: str = ""
    """What a command wrote, if it did."""


def outcome(text: str, is_error: bool) -> Outcome:
    """The end of a call, from the text that the model reads."""
    found = _decoded(text)
    if (reason := _denied(found)) is not None:
        return Outcome("denied", one_line(reason, _LONGEST))
    if is_error:
        fault = _inner(found, "error")
        told = str(_inner(fault, "message") or fault or text)
        return Outcome("failed", _first(told), _printed(_inner(found, "result")))
    result = _inner(found, "result", found)
    if (
        _inner(result, "ran_with") is not None
    ):  # a person changed the arguments: the result is inside
        result = _inner(result, "result")
    code = _inner(result, "exit_code")
    if isinstance(code, int) and not isinstance(code, bool):
        return Outcome("failed" if code else "done", f"exit {code}", _printed(result))
    return Outcome("done", _amount(result, text), _printed(result))


def _denied(found: Any) -> str | None:
    """Why it was not allowed to run; None if it was."""
    fault = _inner(found, "error")
    message = str(_inner(fault, "message") or "")
    match _inner(fault, "code"):
        case "EXECUTION_DENIED":
            _, _, reason = message.partition(": ")
            return f"denied: {reason}" if reason else "denied"
        case "DENIED_BY_RULE":
            return f"denied by a rule: {message}"
        case "BLOCKED":
            return "blocked in plan mode" if "plan" in message.lower() else f"blocked: {message}"
        case _:
            return None


def _first(text: str) -> str:
    """The first line that says something."""
    lines = (line for line in text.split("\n") if line.strip())
    return one_line(next(lines, text), _LONGEST)


def _printed(result: Any) -> str:
    parts = [_inner(result, name) for name in ("stdout", "output", "stderr")]
    return "\n".join(part.rstrip("\n") for part in parts if isinstance(part, str) and part.strip())


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
        return _of_fields(cast("dict[str, Any]", result))
    if isinstance(result, str):
        return _lines(result)
    return one_line(text, 40) if result is not None else "done"


def _of_fields(fields: dict[str, Any]) -> str:
    lists = {name: cast("list[Any]", v) for name, v in fields.items() if isinstance(v, list)}
    for name, noun in _NOUNS.items():
        if name in lists:
            return count(len(lists[name]), noun)
    if len(lists) == 1:
        return count(len(next(iter(lists.values()))), "entry")
    content = fields.get("content") or fields.get("text") or fields.get("output")
    return _lines(content) if isinstance(content, str) else "done"


def _lines(text: str) -> str:
    if not text:
        return "nothing"
    if "\n" not in text.strip() and len(text) <= 40:
        return one_line(text)
    return count(len(text.rstrip("\n").split("\n")), "line")
