"""What a call does, in the words of a person: `read src/app.py`, `$ npm test`, `search "foo" in src`.

Arguments come from a model: whatever is missing or of the wrong type, there is a phrase, and it is one safe line.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from bottega.cli.screen import tools
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import count

Given = dict[str, Any]


class Phrase(NamedTuple):
    verb: str
    about: str


def phrase(name: str, given: Given) -> Phrase:
    """The words for one call; a tool that is not known here is told by its name and its arguments."""
    words = _PHRASES.get(name)
    if words is not None:
        verb, about = words(given)
        return Phrase(verb, one_line(about))
    return Phrase(": ".join(whose(name)), tools.arguments(given))


def whose(name: str) -> tuple[str, ...]:
    """The name of a tool, with that of its MCP server before it if it has one."""
    parts = one_line(name).split("__", 2)
    return (parts[1], parts[2]) if parts[0] == "mcp" and len(parts) == 3 else (one_line(name),)


def _text(given: Given, *names: str) -> str:
    """The first of these arguments that says something."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _objects(given: Given, name: str) -> list[Given]:
    value = given.get(name)
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Given", each) for each in listed if isinstance(each, dict)]


def _path(given: Given) -> str:
    return _text(given, "file_path", "path")


def _span(given: Given) -> str:
    if ranges := _objects(given, "ranges"):
        return ",".join(map(_span, ranges))
    first, last = given.get("start_line"), given.get("end_line")
    if not isinstance(first, int) and not isinstance(last, int):
        return ""
    return f":{first if isinstance(first, int) else 1}–{last if isinstance(last, int) else 'end'}"


def _read(given: Given) -> tuple[str, str]:
    files = _objects(given, "files") or [given]
    return "read", ", ".join(f"{_path(each)}{_span(each)}" for each in files)


def _edit(given: Given) -> tuple[str, str]:
    paths = [_path(each) for each in _objects(given, "edits")] or [_path(given)]
    return "edit", ", ".join(dict.fromkeys(paths))


def _command(given: Given) -> tuple[str, str]:
    lines = [line for line in _text(given, "command").split("\n") if line.strip()]
    more = f" … {count(len(lines) - 1, 'more line')}" if len(lines) > 1 else ""
    return "$", (lines[0] if lines else "") + more


def _answer(given: Given) -> tuple[str, str]:
    return "type into shell", _text(given, "input", "text")


def _shell(given: Given) -> tuple[str, str]:
    return _command(given) if _text(given, "command") else _answer(given)


def _grep(given: Given) -> tuple[str, str]:
    where = _text(given, "path", "include", "glob")
    pattern = f"“{_text(given, 'pattern')}”"
    return "search", f"{pattern} in {where}" if where not in ("", ".") else pattern


def _glob(given: Given) -> tuple[str, str]:
    where = _text(given, "path")
    pattern = _text(given, "pattern")
    return "find", f"{pattern} in {where}" if where not in ("", ".") else pattern


def _fetch(given: Given) -> tuple[str, str]:
    asked = _text(given, "prompt")
    return "fetch", _text(given, "url") + (f" – {asked}" if asked else "")


def _todos(given: Given) -> tuple[str, str]:
    listed = given.get("todos")
    number = len(cast("list[Any]", listed)) if isinstance(listed, list) else 0
    return "note", count(number, "to-do")


def _task(given: Given) -> tuple[str, str]:
    lines = (line.strip() for line in _text(given, "task").split("\n"))
    return one_line(_text(given, "agent")) or "hand on", next(filter(None, lines), "")


_PHRASES: dict[str, Callable[[Given], tuple[str, str]]] = {
    "read_file": _read,
    "write_file": lambda given: ("write", _path(given)),
    "patch_file": _edit,
    "multi_edit": _edit,
    "list_dir": lambda given: ("list", _path(given) or "."),
    "glob": _glob,
    "grep": _grep,
    "bash_exec": _command,
    "shell_open": lambda given: ("open shell", _text(given, "command")),
    "shell_exec": _shell,
    "shell_close": lambda given: ("close shell", _text(given, "session_id", "shell_id", "shell")),
    "get_project_info": lambda _: ("look at", "the project"),
    "recall": lambda given: ("recall", _text(given, "query") or f"entry {given.get('index', '')}"),
    "todo_read": lambda _: ("read", "the to-do list"),
    "todo_write": _todos,
    "web_fetch": _fetch,
    "delegate": _task,
    "ask_user": lambda given: ("ask", _text(given, "question")),
    "read_output": lambda given: ("read output", _text(given, "output", "output_id", "id")),
}
