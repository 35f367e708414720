"""What a server says of its tools, checked before a model sees it. A server is a stranger: nothing it claims of a
tool's harmlessness is heard, and a definition that is not sound is left out, with a notice.

A definition has a fingerprint: a tool that is defined otherwise than when it was allowed is another tool.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any, cast

import msgspec

from bottega.mcp.problems import plain
from bottega.tools.validate import Validator

MOST_TOOLS = 256
LONGEST_NAME = 64
"""Characters that all providers take."""
LONGEST_TOLD = 256
LONGEST_DESCRIPTION = 2_000
LARGEST_SCHEMA = 64 * 1024
DEEPEST = 32
_TOO_LARGE = "its schema is too large"
_LOOKED_AT = 8 * LONGEST_DESCRIPTION
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


class Offered(msgspec.Struct, frozen=True):
    """A tool as its server describes it."""

    name: str
    description: str
    schema: Any
    fault: str = ""
    """Why it is left out, if that is known already."""


def offered(name: str, description: str, schema: Any) -> Offered:
    """As much of it as is looked at, so that a list of many may be kept."""
    if len(description) > _LOOKED_AT:
        digest = hashlib.sha256(description.encode("utf-8", "surrogatepass")).hexdigest()
        description = description[:_LOOKED_AT] + digest  # another end is another tool
    fault = ""
    if _is_large(schema):
        schema, fault = None, _TOO_LARGE
    return Offered(name[: LONGEST_TOLD + 1], description, schema, fault)


class Definition(msgspec.Struct, frozen=True):
    """The same, sound."""

    name: str
    """As models call it."""
    tool: str
    """As its server calls it."""
    description: str
    schema: dict[str, Any]
    fingerprint: str


def define(
    server: str, bound: str, offered: Iterable[Offered]
) -> tuple[list[Definition], list[str]]:
    """The sound ones, and a notice for each other; `bound` is the fingerprint of the server itself."""
    found: dict[str, Definition] = {}
    notices: list[str] = []
    for place, each in enumerate(offered):
        if place >= MOST_TOOLS:
            notices.append(
                f"The MCP server {server!r} offers more than {MOST_TOOLS} tools: the rest is left out."
            )
            break
        try:
            made = _defined(server, bound, each)
            if made.name in found:
                raise ValueError("there are two of that name")  # noqa: TRY301
            found[made.name] = made
        except (ValueError, TypeError, RecursionError) as problem:
            name = plain(str(each.name), 60)
            notices.append(
                f"The tool {name!r} of the MCP server {server!r} is left out: {problem}."
            )
    return list(found.values()), notices


def public_name(server: str, tool: str) -> str:
    """`mcp__SERVER__tool`, in letters that all providers take; one that is too long or odd ends in a hash."""
    prefix = f"mcp__{server}__"
    room = LONGEST_NAME - len(prefix)
    if _PLAIN.fullmatch(tool) and len(tool) <= room:
        return prefix + tool
    digest = hashlib.sha256(tool.encode()).hexdigest()[:8]
    return f"{prefix}{_OTHER.sub('_', tool)[: room - 9]}_{digest}"


def _defined(server: str, bound: str, offered: Offered) -> Definition:
    name = offered.name
    if not isinstance(name, str) or not name or len(name) > LONGEST_TOLD:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"its name has not between 1 and {LONGEST_TOLD} characters")
    if offered.fault:
        raise ValueError(offered.fault)
    schema = _checked(offered.schema)
    told = plain(offered.description, LONGEST_DESCRIPTION)
    body = msgspec.json.encode([bound, name, offered.description, offered.schema], order="sorted")
    fingerprint = hashlib.sha256(body).hexdigest()
    described = told or f"The tool {plain(name)} of the MCP server {server}."
    return Definition(public_name(server, name), name, described, schema, fingerprint)


def _checked(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, dict) or cast("dict[str, Any]", schema).get("type") != "object":
        raise ValueError("its schema describes no object")
    if _is_large(schema):
        raise ValueError(_TOO_LARGE)
    clean = _clean(cast("dict[str, Any]", schema), DEEPEST)
    try:
        Validator(clean)({})
    except ValueError as problem:
        raise ValueError(f"its schema is none ({plain(str(problem), 200)})") from None
    except Exception as problem:  # what it refers to is not fetched
        raise ValueError(f"its schema cannot be used ({plain(str(problem), 200)})") from None
    return clean


def _is_large(schema: Any) -> bool:
    return len(msgspec.json.encode(schema)) > LARGEST_SCHEMA


def _clean(value: Any, deep: int) -> Any:
    """The same schema, its texts for models without what cannot be seen."""
    if deep < 0:
        raise ValueError("its schema is nested too deeply")
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {
            key: plain(each, LONGEST_DESCRIPTION)
            if key in ("description", "title") and isinstance(each, str)
            else _clean(each, deep - 1)
            for key, each in entries.items()
        }
    if isinstance(value, list):
        return [_clean(each, deep - 1) for each in cast("list[Any]", value)]
    return value
