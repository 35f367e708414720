"""What an answer used and cost, in OpenAI's two shapes and with the additions of others."""

from math import isfinite
from typing import Any, cast

from bottega.messages.message import Usage

MAX_COUNT = 2**53 - 1
"""Larger numbers are no counts of tokens, and the browser could not read them."""


def chat_usage(found: Any) -> Usage | None:
    """The `usage` of a chat completion; None if there is none."""
    if not isinstance(found, dict) or not found:
        return None
    usage = cast("dict[str, Any]", found)
    asked = _part(usage, "prompt_tokens_details")
    said = _part(usage, "completion_tokens_details")
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    thought = _count(said.get("reasoning_tokens"))
    # Some count the thoughts beside the completion, not in it; their total tells.
    if thought and _count(usage.get("total_tokens")) == prompt + completion + thought:
        completion += thought
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        cached_tokens=_first(asked, usage, "cached_tokens", "prompt_cache_hit_tokens"),
        cache_write_tokens=_first(
            asked, usage, "cache_write_tokens", "cache_creation_input_tokens"
        ),
        reasoning_tokens=thought,
    )


def responses_usage(found: Any) -> Usage:
    """The `usage` of a response; zeros if there is none."""
    if not isinstance(found, dict):
        return Usage()
    usage = cast("dict[str, Any]", found)
    asked, said = _part(usage, "input_tokens_details"), _part(usage, "output_tokens_details")
    return Usage(
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cached_tokens=_count(asked.get("cached_tokens")),
        cache_write_tokens=_count(asked.get("cache_write_tokens")),
        reasoning_tokens=_count(said.get("reasoning_tokens")),
    )


def stated_cost(found: Any) -> int | None:
    """The cost that the provider itself states, in micro-USD."""
    if not isinstance(found, dict):
        return None
    usage = cast("dict[str, Any]", found)
    cost = usage.get("cost")
    if isinstance(cost, dict):
        cost = cast("dict[str, Any]", cost).get("total_cost")
    dollars = _dollars(cost)
    if dollars is None:
        return None
    if usage.get("is_byok") is True:
        # The router's own fee only: the user's account at the provider behind it pays the rest.
        dollars += _dollars(_part(usage, "cost_details").get("upstream_inference_cost")) or 0.0
    return min(round(min(dollars, MAX_COUNT / 1_000_000) * 1_000_000), MAX_COUNT)


def _dollars(found: Any) -> float | None:
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        dollars = float(found)
    except OverflowError:
        return None
    return dollars if isfinite(dollars) and dollars >= 0 else None


def _part(usage: dict[str, Any], name: str) -> dict[str, Any]:
    found = usage.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _first(part: dict[str, Any], usage: dict[str, Any], *names: str) -> int:
    for name in names:
        number = _count(part.get(name)) or _count(usage.get(name))
        if number:
            return number
    return 0


def _count(found: Any) -> int:
    if isinstance(found, float) and isfinite(found):
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int):
        return 0
    return found if 0 <= found <= MAX_COUNT else 0
