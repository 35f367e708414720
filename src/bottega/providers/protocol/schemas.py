"""What a vendor can hold an answer to: a part of JSON schema, and each another part.

OpenAI refuses a strict request over one keyword that it does not know, so `is_strict` judges first; Anthropic refuses
any request over one, so `narrowed` leaves such keywords out. Whoever asked checks the answer against the whole schema.
"""

from typing import Any, cast

NAME = "answer"
"""What the schema is called, where it needs a name."""

_Schema = dict[str, Any]

_WORDS = frozenset({"title", "description", "type", "enum", "const", "anyOf", "$defs", "items"})
_OBJECT = frozenset({"properties", "required", "additionalProperties"})
_STRICT = _WORDS | _OBJECT | {"$ref", "pattern", "format", "multipleOf", "minItems", "maxItems"}
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
_PLAIN = (str, int, float, bool, type(None))
_DEEPEST = 10
_MOST_PARTS = 2000
"""How large a schema may become when each definition is put where it is meant: two names can double it each time."""
_MOST_OPTIONAL, _MOST_CHOICES = 24, 16
"""How many optional properties, and how many alternatives, Anthropic takes in one schema."""


def unheld(model: str) -> str:
    """The notice for a model that cannot be held to the schema that was asked for."""
    return f"The model {model!r} cannot be held to this schema; it was only asked to keep to it."


def is_strict(schema: _Schema) -> bool:
    """Whether OpenAI's strict mode takes this schema."""
    if schema.get("type") != "object" or "anyOf" in schema:
        return False
    return _strict(schema, _DEEPEST)


def _strict(found: object, levels: int) -> bool:
    if not isinstance(found, dict) or not levels:
        return False
    schema = cast("_Schema", found)
    if "$ref" in schema:
        return len(schema) == 1
    if not (_STRICT | _NUMBERS).issuperset(schema) or schema.get("format", "date") not in _FORMATS:
        return False
    if not _says_what(schema) or ("object" in _types(schema) and not _closed(schema)):
        return False
    if "array" in _types(schema) and "items" not in schema:
        return False
    return all(_strict(part, levels - 1) for part in _parts(schema))


def _types(schema: _Schema) -> list[Any]:
    found: Any = schema.get("type", [])
    return cast("list[Any]", found) if isinstance(found, list) else [found]


def _says_what(schema: _Schema) -> bool:
    return any(word in schema for word in ("type", "anyOf", "enum", "const"))


def _closed(schema: _Schema) -> bool:
    """An object of which every property is named, and needed."""
    named: Any = schema.get("properties")
    needed: Any = schema.get("required", [])
    if not isinstance(named, dict) or not isinstance(needed, list):
        return False
    return schema.get("additionalProperties") is False and set(needed) == set(named)  # pyright: ignore[reportUnknownArgumentType]


def _parts(schema: _Schema) -> list[Any]:
    inside: list[Any] = [schema["items"]] if "items" in schema else []
    for word in ("properties", "$defs"):
        inside += (schema.get(word) or {}).values()
    return inside + (schema.get("anyOf") or [])


def narrowed(schema: _Schema) -> _Schema | None:
    """The schema as Anthropic takes it; None where too little of it would be left."""
    try:
        narrowing = _Narrowing(schema)
        found = narrowing.schema(schema, ())
    except (_Unfit, RecursionError):
        return None
    few = narrowing.optional <= _MOST_OPTIONAL and narrowing.choices <= _MOST_CHOICES
    return found if few else None


class _Unfit(Exception):
    pass


class _Narrowing:
    def __init__(self, whole: _Schema) -> None:
        self._defs: _Schema = whole.get("$defs", {})
        self.optional = 0
        self.choices = 0
        self._parts = 0

    def schema(self, found: Any, inside: tuple[str, ...]) -> _Schema:
        """What is left of a schema; `inside` names the definitions on the way here: none may hold itself."""
        self._parts += 1
        if not isinstance(found, dict) or self._parts > _MOST_PARTS:
            raise _Unfit
        schema = cast("_Schema", found)
        kept = {word: schema[word] for word in ("title", "description") if word in schema}
        if "$ref" in schema:
            return {**self._resolved(schema["$ref"], inside), **kept}
        literal = {word: schema[word] for word in ("enum", "const") if word in schema}
        if literal:
            values = [*literal.get("enum", []), literal.get("const")]
            if not all(isinstance(value, _PLAIN) for value in values):
                raise _Unfit
            return kept | literal
        several = schema.get("anyOf") or schema.get("oneOf")
        if several is None and isinstance(schema.get("type"), list):
            several = [{**schema, "type": each} for each in schema["type"]]
        if several is not None:
            self.choices += len(several)
            return {**kept, "anyOf": [self.schema(each, inside) for each in several]}
        return kept | self._typed(schema, inside)

    def _resolved(self, ref: Any, inside: tuple[str, ...]) -> _Schema:
        """A definition, put where it is meant: no names are left to look up."""
        name = str(ref).removeprefix("#/$defs/")
        if name in inside or name not in self._defs:
            raise _Unfit
        return self.schema(self._defs[name], (*inside, name))

    def _typed(self, schema: _Schema, inside: tuple[str, ...]) -> _Schema:
        kind = schema.get("type")
        if kind == "object":
            return {"type": "object", **self._object(schema, inside)}
        if kind == "array":
            found: _Schema = {"type": "array", "items": self.schema(schema.get("items"), inside)}
            if schema.get("minItems") in (0, 1):
                found["minItems"] = schema["minItems"]
            return found
        if kind not in ("string", "integer", "number", "boolean", "null"):
            raise _Unfit
        known = schema.get("format") in (*_FORMATS, "uri")
        return {"type": kind, "format": schema["format"]} if known else {"type": kind}

    def _object(self, schema: _Schema, inside: tuple[str, ...]) -> _Schema:
        named: _Schema = schema.get("properties") or {}
        more = schema.get("additionalProperties", True)
        # An object whose names nobody knows would come back empty.
        if isinstance(more, dict) or "patternProperties" in schema or not (named or more is False):
            raise _Unfit
        needed: list[str] = [name for name in schema.get("required", []) if name in named]
        self.optional += len(named) - len(needed)
        parts = {name: self.schema(part, inside) for name, part in named.items()}
        return {"properties": parts, "required": needed, "additionalProperties": False}
