"""The model that an exchange runs on: who answers, and what is known of it."""

from collections.abc import Callable

import msgspec

from bottega.messages.block import Origin
from bottega.providers.provider import Abilities, Finished, Provider


class Model(msgspec.Struct, frozen=True):
    name: str
    """With our prefix, as the user writes it."""
    wire_name: str
    """As the provider knows it."""
    provider: Provider
    origin: Origin
    abilities: Abilities
    price: Callable[[Finished], int | None]
    """What an answer costs in micro-USD; None: unknown."""
    window: Callable[[], int | None] = lambda: None
    """Tokens that a request may have; None: nobody knows, or the list that does was not read yet. Costs nothing."""
    forgo_tools: Callable[[], None] = lambda: None
    """It was found to take no tools: from now on its calls are read from what it writes."""
