"""A task that was handed to another agent: how it ended, what it answered, and where its log is."""

from typing import Any, cast

import msgspec

from bottega.cli.screen import tools
from bottega.cli.screen.clean import clean
from bottega.cli.screen.figures import count, money, tokens
from bottega.cli.screen.tools import Part
from bottega.messages.message import Usage

SHOWN = 3
"""Lines of its answer."""
SHORT = 8
"""So much of the end of an id names a session."""


def answer(text: str, width: int) -> list[list[Part]]:
    """The first lines of what it answered."""
    said = clean(str(_fields(text).get("response") or ""))
    lines = [line.rstrip() for line in said.split("\n") if line.strip()]
    rows: list[list[Part]] = [
        [("  │ ", "dim"), (tools.fitted(line, max(10, width - 5)), "")] for line in lines[:SHOWN]
    ]
    if (left := len(lines) - SHOWN) > 0:
        rows.append([("  │ ", "dim"), (f"… {count(left, 'more line')}", "dim italic")])
    return rows


def where(child: str, text: str, usage: Usage, cost: int | None) -> list[Part]:
    """What it took, and how to look at all that it did."""
    said = [count(steps, "step")] if (steps := _fields(text).get("iterations")) else []
    if usage != Usage():
        said.append(f"{tokens(usage.input_tokens)} in, {tokens(usage.output_tokens)} out")
        said.append(money(cost))
    return [("  ↳ ", "dim"), (" · ".join([*said, f"bottega show {child[-SHORT:]}"]), "dim")]


def _fields(text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    result = cast("dict[str, Any]", found).get("result") if isinstance(found, dict) else None
    return cast("dict[str, Any]", result) if isinstance(result, dict) else {}
