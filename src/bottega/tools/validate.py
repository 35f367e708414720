"""Arguments against a tool's schema (A31): compiled once, and a wrong call is told why.

A schema may come from a stranger, so nothing that it refers to is ever fetched, and it is bounded before it
is compiled.
"""

from typing import TYPE_CHECKING, Any, cast

from bottega.tools.schemas.bounds import Complex, Outline
from bottega.tools.schemas.cost import TooMuch, parts_of, steps_for

if TYPE_CHECKING:
    import jsonschema_rs

_SHOWN = 5
_GIVEN = 60
_FULL = 2000
"""Steps up to which everything that is wrong is told; past that it is only the first thing."""
_LARGE = 1000
"""Parts of a value past which it is not checked in passing."""
_PATTERN_SIZE = 100_000
"""Bytes that a pattern may have when it is compiled."""


class Validator:
    """One schema; call it with arguments to learn what is wrong with them, in bounded time."""

    def __init__(self, schema: dict[str, Any], whole: str = "arguments") -> None:
        """`whole` is what the thing itself is called, where no part of it is meant."""
        self._schema = schema
        self._whole = whole
        self._outline: Outline | None = None
        self._compiled: jsonschema_rs.Draft202012Validator | None = None

    def __call__(self, arguments: Any) -> tuple[str, ...]:
        """Return what is wrong, one sentence each; empty when the arguments are valid.

        Raises ValueError if the schema itself is none, or is too complex.
        """
        compiled = self._compiled or self._compile()
        assert self._outline
        try:
            steps = steps_for(self._outline, arguments)
        except TooMuch as problem:
            return (f"{self._whole}: {problem}",)
        if compiled.is_valid(arguments):
            return ()
        errors = compiled.iter_errors(arguments) if steps <= _FULL else _first(compiled, arguments)
        return tuple(_explained(error, self._schema, self._whole) for error in errors)

    def _compile(self) -> "jsonschema_rs.Draft202012Validator":
        self._outline = Outline(self._schema)
        try:
            made = _made(self._schema)
        except ValueError:
            harder = harder_patterns(self._outline)
            if not harder:
                raise
            made = _made(_without(self._schema, harder))
        self._compiled = made
        return made


def is_large(arguments: Any) -> bool:
    """Whether checking these may take long enough to be done in a thread."""
    return parts_of(arguments, _LARGE) > _LARGE


def accepted(schema: dict[str, Any]) -> None:
    """Refuse, with a ValueError, a schema by which not everything that it says could be checked in bounded time."""
    outline = Outline(schema)
    if harder := harder_patterns(outline):
        raise Complex(
            f"its pattern {min(harder)[:100]!r} looks ahead, behind or back, which is not checked here;"
            " write it without"
        )
    Validator(schema)({})


def harder_patterns(outline: Outline) -> set[str]:
    """Patterns that only an engine which tries and goes back can match, at a cost that nobody can tell before."""
    harder = {each for each in outline.patterns if not _is_linear(each) and _is_pattern(each)}
    if wrong := sorted(each for each in outline.name_patterns if not _is_linear(each)):
        raise Complex(f"its patternProperties {wrong[0][:100]!r} are not checked here")
    return harder


def _made(schema: dict[str, Any]) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    # An engine whose time grows with the text and no faster.
    linear = jsonschema_rs.RegexOptions(size_limit=_PATTERN_SIZE, dfa_size_limit=_PATTERN_SIZE)
    try:
        made = jsonschema_rs.validator_for(
            schema, mask="value", offline=True, pattern_options=linear
        )
    except jsonschema_rs.ValidationError as problem:
        where = _where(["schema", *problem.instance_path])
        raise ValueError(f"{where}: {problem.message}") from None
    return cast("jsonschema_rs.Draft202012Validator", made)


def _is_linear(pattern: str) -> bool:
    try:
        _made({"pattern": pattern})
    except ValueError:
        return False
    return True


def _is_pattern(pattern: str) -> bool:
    import jsonschema_rs

    options = jsonschema_rs.FancyRegexOptions(
        size_limit=_PATTERN_SIZE, dfa_size_limit=_PATTERN_SIZE
    )
    try:
        jsonschema_rs.validator_for({"pattern": pattern}, offline=True, pattern_options=options)
    except jsonschema_rs.ValidationError:
        return False
    return True


def _without(value: Any, patterns: set[str]) -> Any:
    """The same schema, but these patterns: whoever wrote them checks them."""
    if isinstance(value, dict):
        return {
            name: _without(each, patterns)
            for name, each in cast("dict[str, Any]", value).items()
            if not (name == "pattern" and isinstance(each, str) and each in patterns)
        }
    if isinstance(value, list):
        return [_without(each, patterns) for each in cast("list[Any]", value)]
    return value


def _first(
    compiled: "jsonschema_rs.Draft202012Validator", arguments: Any
) -> "list[jsonschema_rs.ValidationError]":
    import jsonschema_rs

    try:
        compiled.validate(arguments)
    except jsonschema_rs.ValidationError as error:
        return [error]
    return []


def joined(errors: tuple[str, ...]) -> str:
    """The first few as one sentence."""
    more = f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
    return "; ".join(errors[:_SHOWN]) + more


def _explained(error: "jsonschema_rs.ValidationError", schema: dict[str, Any], whole: str) -> str:
    kind: Any = error.kind
    where = _where(error.instance_path, whole)
    match kind.name:
        case "required":
            return f"{_where([*error.instance_path, kind.property])} is missing"
        case "additionalProperties":
            extra = ", ".join(repr(name) for name in kind.unexpected)
            known = _known(schema, error.schema_path)
            return f"{where}: {extra} is not known here{known}"
        case "anyOf" | "oneOf":
            options = [inner.message for group in getattr(kind, "context", ()) for inner in group]
            expected = " and ".join(dict.fromkeys(options)) or error.message
        case _:
            expected = error.message
    return f"{where}: {expected} (given: {_given(error.instance)})"


def _where(path: "list[str | int]", whole: str = "") -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or whole


def _known(schema: dict[str, Any], path: "list[str | int]") -> str:
    found: Any = schema
    for step in path[:-1]:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):  # the path went through a reference
            return ""
    names: list[str] = list(found.get("properties", ()))
    return f"; known are {', '.join(names)}" if names else ""


def _given(value: Any) -> str:
    if isinstance(value, str):
        value = value[: _GIVEN + 1]
    elif parts_of(value, _GIVEN) > _GIVEN:
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= _GIVEN else text[:_GIVEN] + "…"
