"""The hash that an approval is bound to: whoever decides and whoever runs mean the same, or it does not hold.

Equal exactly if everything is equal. Arguments are written as JSON in one form only: keys sorted, no blanks, numbers
that JSON does not have by a name of their own.
"""

import hashlib
import json
import math
from typing import Any, cast

import msgspec

from bottega.events.facts import FileChange

_WIDE = 2**63


class Binding(msgspec.Struct, frozen=True):
    """Everything that is decided on."""

    tool: str
    arguments: dict[str, Any]
    call_id: str
    session_id: str
    folder: str
    """The workspace, as a whole path."""
    profile: str
    """What the sandbox lets a command do."""
    network: bool
    writes: tuple[FileChange, ...] = ()
    """The files that were shown: path, sha256 before and after."""


def digest(binding: Binding) -> str:
    """The sha256 of all of it, in hexadecimal digits."""
    writes = [[each.path, each.before, each.after] for each in binding.writes]
    fields = {name: getattr(binding, name) for name in binding.__struct_fields__}
    return hashlib.sha256(canonical({**fields, "writes": writes})).hexdigest()


def canonical(value: Any) -> bytes:
    """A JSON value as bytes, the same for equal values and others for different ones, however deep it is."""
    written: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Written):
            written.append(item)
        elif isinstance(item, dict):
            waiting += reversed(_object(cast("dict[object, Any]", item)))
        elif isinstance(item, list | tuple):
            waiting += reversed(_array(cast("list[Any]", item)))
        else:
            written.append(_scalar(item))
    return "".join(written).encode("utf-8", "surrogatepass")


class _Written(str):
    """A piece that is in its form already."""


def _object(item: dict[object, Any]) -> list[Any]:
    if not all(isinstance(key, str) for key in item):
        raise TypeError("The keys of arguments are texts.")
    pieces: list[Any] = [_Written("{")]
    for key in sorted(cast("dict[str, Any]", item)):
        pieces += [_Written(_text(key) + ":"), item[key], _Written(",")]
    return [*pieces, _Written("}")]


def _array(item: list[Any] | tuple[Any, ...]) -> list[Any]:
    pieces: list[Any] = [_Written("[")]
    for each in item:
        pieces += [each, _Written(",")]
    return [*pieces, _Written("]")]


def _scalar(item: object) -> str:
    if item is None or isinstance(item, bool):
        return {None: "null", True: "true", False: "false"}[item]
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, int):
        return str(item) if -_WIDE <= item < _WIDE else hex(item)
    if isinstance(item, float):
        return repr(item) if math.isfinite(item) else f"<{item!r}>"
    raise TypeError(f"A value of type {type(item).__name__!r} cannot be bound to an approval.")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
