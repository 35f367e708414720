"""Arguments against a tool's schema (A31): compiled once, and a wrong call is told why.

A schema may come from a stranger, so nothing that it refers to is ever fetched.
"""

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import jsonschema_rs

_SHOWN = 5
_GIVEN = 60


class Validator:
    """One schema; call it with arguments to learn what is wrong with them."""

    def __init__(self, schema: dict[str, Any], whole: str = "arguments") -> None:
        """`whole` is what the thing itself is called, where no part of it is meant."""
        self._schema = schema
        self._whole = whole
        self._compiled: jsonschema_rs.Draft202012Validator | None = None

    def __call__(self, arguments: Any) -> tuple[str, ...]:
        """Return what is wrong, one sentence each; empty when the arguments are valid.

        Raises ValueError if the schema itself is none.
        """
        compiled = self._compiled or self._compile()
        if compiled.is_valid(arguments):
            return ()
        errors = compiled.iter_errors(arguments)
        return tuple(_explained(error, self._schema, self._whole) for error in errors)

    def _compile(self) -> "jsonschema_rs.Draft202012Validator":
        import jsonschema_rs

        try:
            made = jsonschema_rs.validator_for(self._schema, mask="value", offline=True)
        except jsonschema_rs.ValidationError as problem:
            where = _where(["schema", *problem.instance_path])
            raise ValueError(f"{where}: {problem.message}") from None
        self._compiled = cast("jsonschema_rs.Draft202012Validator", made)
        return self._compiled


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
    text = repr(value)
    return text if len(text) <= _GIVEN else text[:_GIVEN] + "…"
