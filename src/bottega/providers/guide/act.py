"""Turns an action into a call of a tool that the request really offers, by that tool's schema."""

from collections.abc import Sequence
from typing import Any

from bottega.providers.guide.request import Action, Deed
from bottega.providers.provider import ToolSpec

_TOOLS: dict[Deed, tuple[str, ...]] = {
    "list": ("list_dir", "list_files", "list_directory", "ls"),
    "read": ("read_file", "view_file", "read", "cat"),
    "search": ("grep", "search_files", "code_search", "search"),
    "write": ("write_file", "write_to_file", "create_file"),
    "run": ("bash_exec", "run_command", "bash", "shell"),
}
_WISHES: dict[Deed, str] = {
    "list": "list files",
    "read": "read a file",
    "search": "search the files",
    "write": "write a file",
    "run": "run a command",
    "tour": "look around",
}
_PATH = ("file_path", "path", "file", "filename", "directory", "dir", "folder")
_WORDS: dict[Deed, tuple[str, ...]] = {
    "search": ("pattern", "query", "regex", "text"),
    "write": ("content", "contents", "text"),
    "run": ("command", "cmd"),
}
_START = ("start_line", "line_start", "start")
_END = ("end_line", "line_end", "end")


def wish(do: Deed) -> str:
    return _WISHES[do]


def deed(tool: str) -> Deed | None:
    """What a tool of this name is for."""
    return next((do for do, names in _TOOLS.items() if tool in names), None)


def find(do: Deed, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """The offered tool for this deed, if there is one that we know how to call."""
    named = {tool.name: tool for tool in tools}
    sample = Action(do, "a", "b")
    for name in _TOOLS.get(do, ()):
        if name in named and arguments(sample, named[name]) is not None:
            return named[name]
    return None


def arguments(action: Action, tool: ToolSpec) -> dict[str, Any] | None:
    """The arguments by the names in the tool's schema; None where they cannot be said so."""
    known = _properties(tool.schema)
    if action.do == "read" and "files" in known and not _first(_PATH, known):
        return _within_files(action, known)
    given: dict[str, Any] = {}
    path, words = _first(_PATH, known), _first(_WORDS.get(action.do, ()), known)
    if action.do in _WORDS:
        if not words or (action.do == "write" and not path):
            return None
        given[words] = action.text
    if path and action.path and (action.do != "list" or action.path != "."):
        given[path] = action.path
    given |= _lines(action, known)
    required: list[str] = tool.schema.get("required", [])
    if path in required and path not in given:
        given[path] = action.path or "."
    return given if set(required) <= set(given) and (path or action.do != "read") else None


def _within_files(action: Action, known: dict[str, Any]) -> dict[str, Any] | None:
    inner = _properties(known["files"].get("items", {}))
    path = _first(_PATH, inner)
    return {"files": [{path: action.path} | _lines(action, inner)]} if path else None


def _lines(action: Action, known: dict[str, Any]) -> dict[str, Any]:
    start, end = _first(_START, known), _first(_END, known)
    given: dict[str, Any] = {}
    if action.start and start:
        given[start] = action.start
    if action.end and end:
        given[end] = action.end
    return given


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schema.get("properties", {})
    return found


def _first(names: Sequence[str], known: dict[str, Any]) -> str:
    return next((name for name in names if name in known), "")


def possible(tools: Sequence[ToolSpec], file: str) -> list[str]:
    """Requests that will work here, made from the tools that are really there."""
    said: dict[Deed, str] = {
        "list": "list the files",
        "read": f"read {file}",
        "search": "search for TODO",
        "write": "create hello.txt with Hello, world",
        "run": "run git status",
    }
    found = [words for do, words in said.items() if find(do, tools)]
    if find("list", tools) and find("read", tools):
        found.insert(2, "explain this project")
    return found


def suggestions(tools: Sequence[ToolSpec], file: str) -> list[str]:
    """Three requests, of tools as far as there are any."""
    more = ["what is Bottega?", "what can you do?", "how do I use a local model?"]
    return (possible(tools, file) + more)[:3]
