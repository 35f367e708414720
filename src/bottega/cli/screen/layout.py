"""What belongs together stands together: an empty line between different things, none inside one."""

from collections.abc import Iterable
from typing import NamedTuple


class Item(NamedTuple):
    kind: str
    """`text`, `tool`, `thought`, `note` …"""
    lines: list[str]
    joins: bool = False
    """It goes on with what stands above it."""


_CLOSE = {
    ("tool", "tool"),
    ("tool", "todos"),
    ("note", "note"),
    ("footer", "footer"),
    ("ask", "answer"),
    ("ask", "keys"),
}


def laid_out(above: str, items: Iterable[Item]) -> tuple[list[str], str]:
    """The lines of all items under something of the kind `above`; and the kind that they end with."""
    lines: list[str] = []
    for item in items:
        if not item.lines:
            continue
        if above and not item.joins and (above, item.kind) not in _CLOSE:
            lines.append("")
        lines += item.lines
        above = item.kind
    return lines, above
