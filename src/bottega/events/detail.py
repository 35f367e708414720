"""What an ask's `detail` may hold: its readers rely on these types, and a fact may come from a stranger's log."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

_Number = Annotated[int, Meta(ge=0, le=2**53)] | Annotated[float, Meta(ge=0, le=2**53)]


class _Call(msgspec.Struct):
    name: str
    began: bool = False


KNOWN: dict[str, Any] = {
    **dict.fromkeys(("reason", "diff", "command", "sandbox", "folder", "url", "pattern"), str),
    **dict.fromkeys(("fingerprint", "limit", "under_way"), str),
    **dict.fromkeys(("network", "again"), bool),
    **dict.fromkeys(("from", "to", "tokens", "written"), _Number),
    "cost": _Number | None,
    "window": str | None,
    "offers": list[str],
    "child": dict[str, str],
    "calls": list[_Call],
}
"""By name; what is not here is only shown."""


def sound(detail: dict[str, Any]) -> dict[str, Any]:
    """The same without what is of another type than it must be."""
    if all(_fits(name, value) for name, value in detail.items()):
        return detail
    return {name: value for name, value in detail.items() if _fits(name, value)}


def _fits(name: str, value: Any) -> bool:
    if name not in KNOWN:
        return True
    try:
        msgspec.convert(value, KNOWN[name], from_attributes=False)
    except msgspec.ValidationError:
        return False
    return True
