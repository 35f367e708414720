"""Tools as a section of a system prompt, for models that take no tools of their own accord (T25)."""

from collections.abc import Iterable
from typing import Any, cast

from bottega.tools.tool import Tool, to_json

_TITLES = {
    "FILE_OPS": "Files",
    "SHELL": "Shell",
    "PROJECT": "Project",
    "BUILD": "Build",
    "WEB": "Web",
    "PLANNING": "Planning",
}


def section(tools: Iterable[Tool]) -> str:
    """Every tool by category, with its parameters and an example; empty where there is none."""
    by_category: dict[str, list[Tool]] = {category: [] for category in _TITLES}
    for tool in tools:
        by_category[tool.category].append(tool)
    parts = [
        f"## {_TITLES[category]}\n\n" + "\n\n".join(map(_described, found))
        for category, found in by_category.items()
        if found
    ]
    return "# Tools\n\n" + "\n\n".join(parts) + "\n" if parts else ""


def _described(tool: Tool) -> str:
    lines = [f"### {tool.name}", tool.description]
    rows = list(_parameters(tool.schema))
    if rows:
        lines += ["Parameters:", *rows]
    if tool.examples:
        lines.append(f"Example: {to_json({'name': tool.name, 'arguments': tool.examples[0]})}")
    return "\n".join(lines)


def _parameters(schema: dict[str, Any], depth: int = 0) -> Iterable[str]:
    needed = schema.get("required", ())
    properties: dict[str, Any] = schema.get("properties", {})
    for name, each in properties.items():
        about = _kind(each) + (", required" if name in needed else "")
        words = f": {each['description']}" if each.get("description") else ""
        yield f"{'  ' * depth}- `{name}` ({about}){words}"
        yield from _parameters(each.get("items", each), depth + 1)


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(to_json(each) for each in schema["enum"])
    kind: object = schema.get("type", "any")
    words = " or ".join(cast("list[str]", kind)) if isinstance(kind, list) else str(kind)
    inner = schema.get("items", {}).get("type")
    return f"{words} of {inner}s" if inner else words
