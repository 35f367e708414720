"""How much a Claude model thinks and writes, by its name: each generation is asked in another way.

Up to 4.5 thinking has a budget of tokens; from 4.6 on it is adaptive and `effort` guides it; from 5
on it is the default, and some models always think. Names that are no Claude's (other vendors speak
this protocol too) get a budget.
"""

import re
from typing import Any, NamedTuple

from bottega.messages.block import Reasoning
from bottega.messages.message import Message
from bottega.providers.provider import Effort, Request

_NEWEST = (99, 0)
_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")
_ALWAYS = re.compile(r"claude-(?:fable|mythos)")

_BUDGETS: dict[Effort, int] = {
    "minimal": 1024,
    "low": 4096,
    "medium": 8192,
    "high": 16384,
    "max": 24_000,
}
_LEVELS: dict[Effort, str] = {
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "max": "max",
}
_ADAPTIVE = {"type": "adaptive", "display": "summarized"}
"""`summarized`, as newer models hide their thoughts unless asked."""

LEAST_BUDGET = 1024


class Plan(NamedTuple):
    max_tokens: int
    fields: dict[str, Any] = {}
    """`thinking` and `output_config`, where there is something to say."""
    thinks: bool = False
    notices: tuple[str, ...] = ()


def plan(request: Request) -> Plan:
    """What to say about thinking and the length of the answer; `max_tokens` is always needed."""
    version = version_of(request.model)
    most = request.max_output or _default_output(version)
    effort = request.effort
    if not request.abilities.reasoning:
        asked = effort not in (None, "none")
        return Plan(most, notices=(_cannot_think(request.model),) if asked else ())
    if effort == "none":
        return _silent(request.model, version, most)
    if version >= (4, 6):
        if effort is None:
            # Newer ones think anyway; then at least their thoughts are shown.
            return Plan(most, {"thinking": _ADAPTIVE}, True) if version >= (5, 0) else Plan(most)
        level = {"effort": _LEVELS[effort]}
        return Plan(most, {"thinking": _ADAPTIVE, "output_config": level}, True)
    return Plan(most) if effort is None else _with_budget(request, effort, version, most)


def takes_temperature(model: str) -> bool:
    """From 4.7 on any temperature is refused."""
    return version_of(model) < (4, 7)


def version_of(model: str) -> tuple[int, int]:
    """`claude-sonnet-4-5-20250929` is (4, 5); a Claude without a number is the newest; no Claude is
    (0, 0)."""
    name = model.lower()
    if found := _VERSION.search(name):
        return int(found[1]), int(found[2] or 0)
    return _NEWEST if "claude-" in name else (0, 0)


def _default_output(version: tuple[int, int]) -> int:
    """Long enough to write a file in one call, and within what all models of a generation take."""
    if version >= (4, 6):
        return 64_000
    if version >= (3, 7):
        return 32_000
    return 4096 if (1, 0) <= version < (3, 5) else 8192


def _silent(model: str, version: tuple[int, int], most: int) -> Plan:
    """As little thinking as the model can be told."""
    name = model.lower()
    if _ALWAYS.search(name) or ("opus" in name and version >= (5, 5)):
        return Plan(
            most,
            {"thinking": _ADAPTIVE, "output_config": {"effort": "low"}},
            True,
            (f"The model {model!r} always thinks; it was asked to think as little as it can.",),
        )
    if version >= (5, 5) and "sonnet" in name:
        return Plan(most, {"thinking": {"type": "between_tools"}}, True)
    if version >= (5, 0):
        return Plan(most, {"thinking": {"type": "disabled"}})
    return Plan(most)


def _with_budget(request: Request, effort: Effort, version: tuple[int, int], most: int) -> Plan:
    budget = _BUDGETS[effort]
    if (1, 0) <= version < (3, 7):
        return Plan(most, notices=(_cannot_think(request.model),))
    if request.max_output is None and version < (3, 7):
        most += budget
    budget = min(budget, most * 3 // 4)
    if budget < LEAST_BUDGET:
        words = f"An answer of {most} tokens leaves no room to think; the effort was left out."
        return Plan(most, notices=(words,))
    if _inside_foreign_turn(request.messages):
        words = "This turn began without thinking; the effort was left out until the next message."
        return Plan(most, notices=(words,))
    return Plan(most, {"thinking": {"type": "enabled", "budget_tokens": budget}}, True)


def _inside_foreign_turn(messages: tuple[Message, ...]) -> bool:
    """Whether tool results, with a word of the user's or without, answer a turn without a sealed thought: an error
    with a budget."""
    answers = False
    for message in reversed(messages):
        answers = answers or message.role == "tool"
        if message.role == "assistant":
            if not answers:
                return False
            first = message.content[0] if message.content else None
            return not (isinstance(first, Reasoning) and first.origin == "anthropic")
    return False


def _cannot_think(model: str) -> str:
    return f"The model {model!r} has no adjustable thinking; the effort was left out."
