"""What a provider states of one call, as far as it can be true: a single answer must not use up everybody's limit."""

import msgspec

from bottega.messages.message import Usage
from bottega.providers.provider import Finished

_MOST_TOKENS = 100_000_000
"""Of one call: ten times what the largest models take at once."""
_MOST_COST = 10**9
"""Micro-USD of one call."""
_PER_TOKEN = 6_000
"""Micro-USD: ten times what the dearest models cost."""
_BESIDES = 10_000_000
"""Micro-USD of what is not paid by the token, such as searches."""


def plausible(said: Finished) -> Finished:
    """The same as if the provider had not stated what cannot be true: it is estimated, or priced by the list, then."""
    usage, cost = said.usage, said.cost
    if any(not 0 <= number <= _MOST_TOKENS for number in msgspec.structs.astuple(usage)):
        usage, cost = Usage(), None
    tokens = usage.input_tokens + usage.output_tokens
    if cost is not None and not 0 <= cost <= min(_MOST_COST, _BESIDES + _PER_TOKEN * tokens):
        cost = None
    if (usage, cost) == (said.usage, said.cost):
        return said
    return msgspec.structs.replace(said, usage=usage, cost=cost)
