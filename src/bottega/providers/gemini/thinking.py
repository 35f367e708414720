"""How a Gemini model is told to think, by its name: 2.5 takes a budget, 3 and later a level.

Older models, and those that draw or speak, are told nothing.
"""

import re
from typing import Any, NamedTuple

from bottega.providers.provider import Effort, Request

_NEWEST = (99, 0)
_VERSION = re.compile(r"gemini-(\d{1,2})(?:\.(\d{1,2}))?")
_MUTE = ("image", "tts", "audio", "live", "embedding")

_BUDGETS: dict[Effort, int] = {
    "none": 128,
    "minimal": 512,
    "low": 2048,
    "medium": 8192,
    "high": 16384,
    "max": 24576,
}
_LEVELS: dict[Effort, str] = {
    "none": "LOW",
    "minimal": "LOW",
    "low": "LOW",
    "medium": "MEDIUM",
    "high": "HIGH",
    "max": "HIGH",
}
"""`MINIMAL` exists for a few models only, `LOW` for all."""


class Plan(NamedTuple):
    config: dict[str, Any] = {}
    notices: tuple[str, ...] = ()


def plan(request: Request) -> Plan:
    """The `thinkingConfig`; empty where the model is better told nothing."""
    model, effort = request.model.lower(), request.effort
    version = version_of(model)
    if not request.abilities.reasoning or version < (2, 5) or any(w in model for w in _MUTE):
        if effort in (None, "none"):
            return Plan()
        words = f"The model {request.model!r} has no adjustable thinking; the effort was left out."
        return Plan(notices=(words,))
    shown: dict[str, Any] = {"includeThoughts": True}
    if effort is None:
        return Plan(shown)
    if effort == "none" and version < (3, 0) and "pro" not in model:
        return Plan({"thinkingBudget": 0})
    notices = (_always(request.model),) if effort == "none" else ()
    if version >= (3, 0):
        return Plan({**shown, "thinkingLevel": _level(model, effort)}, notices)
    return Plan({**shown, "thinkingBudget": _BUDGETS[effort]}, notices)


def _always(model: str) -> str:
    return f"The model {model!r} always thinks; it was asked to think as little as it can."


def version_of(model: str) -> tuple[int, int]:
    """`gemini-2.5-flash` is (2, 5); a Gemini without a number is the newest; others are (0, 0)."""
    if found := _VERSION.search(model.lower()):
        return int(found[1]), int(found[2] or 0)
    return _NEWEST if "gemini" in model.lower() else (0, 0)


def _level(model: str, effort: Effort) -> str:
    if effort == "medium" and "gemini-3-pro" in model:
        return "HIGH"
    return _LEVELS[effort]
