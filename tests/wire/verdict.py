"""What the four judges of request bodies share: the word of refusal, and rules that every vendor has."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

Body = dict[str, Any]
LOOSE = {
    *("allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "prefixItems"),
    *("minLength", "maxLength", "default", "uniqueItems", "dependentRequired", "contains"),
}
"""Words of JSON schema that OpenAI's strict mode refuses."""


class Rejected(AssertionError):
    """The server answers 400."""


def need(condition: object, why: str) -> None:
    if not condition:
        raise Rejected(why)


def need_object(found: Any, known: set[str], where: str) -> None:
    """An object with these fields and no others."""
    need(isinstance(found, dict), f"{where}: not an object")
    odd = set(found) - known
    need(not odd, f"{where}: unknown field {min(odd, default='')!r}")


def need_list(found: Any, where: str) -> None:
    need(isinstance(found, list) and found, f"{where}: not a list with entries")


def need_text(found: Any, where: str) -> None:
    """A text that says something: several vendors refuse blank ones."""
    need(isinstance(found, str), f"{where}: not a string")
    need(found.strip(), f"{where}: blank text")


def need_name(found: Any, where: str, longest: int = 64) -> None:
    fits = isinstance(found, str) and re.fullmatch(rf"[a-zA-Z0-9_-]{{1,{longest}}}", found)
    need(fits, f"{where}: does not match the pattern for names and ids")


def need_base64(found: Any, where: str) -> None:
    need(isinstance(found, str) and found, f"{where}: no bytes")
    need(re.fullmatch(r"[A-Za-z0-9+/_-]+={0,2}", found), f"{where}: no base64")


def need_number(found: Any, least: float, most: float, where: str) -> None:
    right = isinstance(found, int | float) and not isinstance(found, bool)
    need(right and least <= found <= most, f"{where}: not between {least} and {most}")


def need_whole(found: Any, least: int, where: str) -> None:
    need(type(found) is int and found >= least, f"{where}: not a whole number from {least} on")


def need_schema(found: Any, where: str) -> None:
    """A JSON schema of an object, which is itself valid."""
    need(isinstance(found, dict) and found.get("type") == "object", f"{where}: not of type object")
    need(jsonschema_rs.meta.is_valid(found), f"{where}: no valid JSON schema")


def need_arguments(found: Any, where: str) -> None:
    """Arguments of a call as OpenAI's protocols have them: the text of a JSON object."""
    need(isinstance(found, str), f"{where}: not a string")
    try:
        value = json.loads(found)
    except ValueError:
        value = None
    need(isinstance(value, dict), f"{where}: not the JSON of an object")


def need_unique(names: list[str], where: str) -> None:
    need(len(set(names)) == len(names), f"{where}: must be unique")


def need_speakable(body: Any) -> None:
    """Halves of surrogate pairs cannot be said in UTF-8."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Rejected("body: half a character") from None


def need_strict(schema: Body, where: str) -> None:
    """What OpenAI documents of a strict schema: objects are closed and whole, and some words are unknown."""
    from openai.lib._pydantic import _ensure_strict_json_schema as strict

    for part in _parts(schema):
        need(not LOOSE & part.keys(), f"{where}: not within the strict part of JSON schema")
        if part.get("type") == "object":
            closed = part.get("additionalProperties") is False
            whole = set(part.get("required", ())) == set(part.get("properties", ()))
            need(closed and whole, f"{where}: not within the strict part of JSON schema")
    made = strict(json.loads(json.dumps(schema)), path=(), root=schema)
    need(made == schema, f"{where}: not as the SDK makes strict ones")


def _parts(schema: Any) -> Iterator[Body]:
    yield schema
    for word in ("properties", "$defs"):
        for part in schema.get(word, {}).values():
            yield from _parts(part)
    for part in (*schema.get("anyOf", ()), *filter(None, [schema.get("items")])):
        yield from _parts(part)


def need_media_url(found: Any, kind: str, where: str) -> None:
    """A data URL whose bytes are there."""
    need(isinstance(found, str) and found.startswith(f"data:{kind}"), f"{where}: no data URL")
    head, _, body = found.partition(";base64,")
    need(head, f"{where}: no media type")
    need_base64(body, where)


def strings(found: Any) -> Iterator[str]:
    """Every string in a body, in its order."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict | list):
        for entry in found.values() if isinstance(found, dict) else found:
            yield from strings(entry)
