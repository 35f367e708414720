"""A tool's result, read back out of the text that a model is given."""

from typing import Any, cast

import msgspec

from bottega.messages.block import Text, ToolResult


class Heard(msgspec.Struct, frozen=True):
    ok: bool
    value: Any
    """The result; a sentence where it is an error."""


def heard(result: ToolResult) -> Heard:
    text = "".join(part.text for part in result.content if isinstance(part, Text))
    try:
        found: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return Heard(not result.is_error, text)
    said = as_dict(found)
    if said.get("status") == "error":
        return Heard(False, str(as_dict(said.get("error")).get("message") or text))
    if said.get("status") == "success":
        return Heard(not result.is_error, said.get("result"))
    return Heard(not result.is_error, found)


def as_dict(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def entries(value: Any) -> list[dict[str, Any]]:
    """The entries of a listing, whichever shape the tool gives them."""
    found: list[dict[str, Any]] = []
    inside = as_dict(value).get("entries", []) if isinstance(value, dict) else value
    for each in as_list(inside):
        if isinstance(each, str) and each:
            found.append({"path": each, "kind": "folder" if each.endswith("/") else "file"})
        elif isinstance(each, dict):
            found.append(as_dict(each))
    return found


def name_of(entry: dict[str, Any]) -> str:
    return str(entry.get("path") or entry.get("name") or "?")


def readme(found: list[dict[str, Any]]) -> str:
    """The name of the README among these, or nothing."""
    names = [name_of(each) for each in found if each.get("kind") == "file"]
    return next((name for name in names if name.casefold().startswith("readme")), "")
