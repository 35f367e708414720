"""When a failed request is tried again, and after how long. Pure: time and chance come in.

Every wait and the sum of all waits are bounded, whatever the provider asks for.
"""

from collections.abc import Callable
from math import isfinite

import msgspec

from bottega.providers.provider import Failed


class Policy(msgspec.Struct, frozen=True):
    """How often a request is tried, and how long the waits between the tries may be, in seconds."""

    attempts: int = 10
    """Tries in all, the first one included."""
    unreachable: int = 6
    """Tries in all while no connection can be made: a wrong address should be told within seconds."""
    shortest: float = 0.5
    first: float = 1.0
    """The longest first wait; each further one may be `factor` times as long."""
    factor: float = 2.0
    longest: float = 30.0
    """The longest single wait."""
    in_total: float = 120.0
    """The longest time from the first failure to the last wait's end."""


def next_delay(
    policy: Policy,
    number: int,
    spent: float,
    retry_after: float | None,
    random: Callable[[], float],
) -> float | None:
    """The seconds to wait after try `number` (from 1) failed; None if it was the last one.

    `spent` is the time since the first failure; `random` gives numbers from 0 to 1. What the
    provider asks for is kept to within the bounds; beyond them, to wait less would be futile.
    """
    left = policy.in_total - spent
    if number >= policy.attempts or not left > 0:
        return None
    top = min(policy.longest, _grown(policy, number))
    low = min(policy.shortest, top)
    delay = low + (top - low) * random()
    if retry_after is not None and isfinite(retry_after) and retry_after >= 0:
        if retry_after > min(policy.longest, left):
            return None
        delay = max(delay, retry_after)
    return min(delay, left)


def most(policy: Policy, failed: Failed) -> int:
    """How many tries there are in all, where they fail like this."""
    reached = failed.code != "unreachable"
    return policy.attempts if reached else min(policy.attempts, policy.unreachable)


def can_help(failed: Failed) -> bool:
    """Whether the same request may succeed later: never if its status judges the request."""
    status = failed.status
    judged = 300 <= status < 500 and status not in (408, 409, 425, 429)
    return failed.retryable and not judged


def _grown(policy: Policy, number: int) -> float:
    try:
        return policy.first * policy.factor ** (number - 1)
    except OverflowError:
        return policy.longest
