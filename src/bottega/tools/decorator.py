"""Makes a tool of a typed function: its signature is the schema, its docstring the description.

@tool(category="PROJECT", effects={"read"})
def count_words(text: Annotated[str, "what to count"], context: Context) -> int: ...
"""

import asyncio
import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, cast, get_args, get_origin, get_type_hints, overload

import msgspec

from bottega.errors import BadUsage
from bottega.tools.context import Context
from bottega.tools.tool import Category, Effect, Outcome, Tool, failure, success, to_builtins

Function = Callable[..., Any]


@overload
def tool(function: Function, /) -> Tool: ...


@overload
def tool(
    *,
    name: str = "",
    description: str = "",
    category: Category = "PROJECT",
    effects: Iterable[Effect] = ("execute",),
    examples: Iterable[dict[str, Any]] = (),
) -> Callable[[Function], Tool]: ...


def tool(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    category: Category = "PROJECT",
    effects: Iterable[Effect] = ("execute",),
    examples: Iterable[dict[str, Any]] = (),
) -> Tool | Callable[[Function], Tool]:
    """Turn a function into a `Tool`; a plain (not async) one runs in a thread.

    Effects that are not named are taken for the worst. A parameter of type `Context` is filled in;
    the model does not see it.
    """

    def made(given: Function) -> Tool:
        signature = _Signature(given)
        return Tool(
            name=name or given.__name__,
            description=description or _first_paragraph(given),
            schema=signature.schema(),
            category=category,
            effects=frozenset(effects),
            examples=tuple(examples),
            run=signature.run,
        )

    return made if function is None else made(function)


class _Signature:
    """The parameters of a function, as a struct that decodes and describes them."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._contexts: list[str] = []
        fields: list[Any] = []
        hints = _hints(function)
        for parameter in inspect.signature(function).parameters.values():
            self._check(parameter, hints)
            hint = hints[parameter.name]
            if _is_context(hint):
                self._contexts.append(parameter.name)
            else:
                fields.append(_field(parameter, hint))
        self._names = [field[0] for field in fields]
        self._struct = msgspec.defstruct(
            function.__name__, fields, kw_only=True, forbid_unknown_fields=True
        )

    def schema(self) -> dict[str, Any]:
        try:
            (top,), parts = msgspec.json.schema_components(
                [self._struct], ref_template="#/$defs/{name}"
            )
        except TypeError as problem:
            name = self._function.__name__
            raise BadUsage(f"A type of the tool {name!r} has no JSON schema: {problem}") from None
        schema: dict[str, Any] = parts.pop(top["$ref"].rpartition("/")[2])
        schema.pop("title", None)
        for field in msgspec.structs.fields(self._struct):
            if field.default_factory is not msgspec.NODEFAULT:
                shown = to_builtins(field.default_factory())
                schema["properties"][field.encode_name]["default"] = shown
        return {**schema, "$defs": parts} if parts else schema

    async def run(self, arguments: dict[str, Any], context: Context) -> Outcome:
        try:
            given = msgspec.convert(arguments, self._struct)
        except msgspec.ValidationError as problem:
            return failure(f"Invalid arguments: {problem}.", "INVALID_ARGUMENTS")
        values: dict[str, Any] = {name: getattr(given, name) for name in self._names}
        values.update(dict.fromkeys(self._contexts, context))
        if inspect.iscoroutinefunction(self._function):
            result = await cast("Awaitable[Any]", self._function(**values))
        else:
            result = await asyncio.to_thread(self._function, **values)
        return result if isinstance(result, Outcome) else success(result)

    def _check(self, parameter: inspect.Parameter, hints: dict[str, Any]) -> None:
        name = self._function.__name__
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise BadUsage(
                f"The tool {name!r} cannot take {str(parameter)!r}: name each parameter."
            )
        if parameter.name not in hints:
            raise BadUsage(
                f"The parameter {parameter.name!r} of the tool {name!r} has no type.",
                hint=f"Write it as `{parameter.name}: str`, or what it is.",
            )


def _hints(function: Function) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as problem:
        raise BadUsage(
            f"A type of the tool {function.__name__!r} is not known: {problem}.",
            hint="Types of a tool's parameters must be importable where it is defined.",
        ) from None


def _is_context(hint: Any) -> bool:
    return isinstance(hint, type) and Context in hint.__mro__


def _field(parameter: inspect.Parameter, hint: Any) -> tuple[Any, ...]:
    hint = _described(hint)
    if parameter.default is parameter.empty:
        return (parameter.name, hint)
    if _is_mutable(parameter.default):
        fresh = functools.partial(copy.deepcopy, parameter.default)
        return (parameter.name, hint, msgspec.field(default_factory=fresh))
    return (parameter.name, hint, parameter.default)


def _is_mutable(default: object) -> bool:
    return isinstance(default, list | dict | set | bytearray)


def _described(hint: Any) -> Any:
    """`Annotated[int, "how many"]` as msgspec says it."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *notes = get_args(hint)
    metas = [msgspec.Meta(description=note) if isinstance(note, str) else note for note in notes]
    return Annotated[(kind, *metas)]  # pyright: ignore[reportInvalidTypeForm]


def _first_paragraph(function: Function) -> str:
    text = inspect.getdoc(function) or ""
    return " ".join(text.partition("\n\n")[0].split())
