"""The model that an exchange runs on: who answers, and what is known of it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, nullcontext

import msgspec

from bottega.messages.block import Origin
from bottega.providers.provider import (
    Abilities,
    Failed,
    Finished,
    Provider,
    Request,
    StreamEvent,
)


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
    place: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    """Held by each call from before it is sent until it has ended: whoever uses many at once waits for it."""
    is_assumed: Callable[[], bool] = lambda: False
    """Whether nobody knows its price, and that of a dear model counts instead. Costs nothing."""
    window: Callable[[], int | None] = lambda: None
    """Tokens that a request may have; None: nobody knows, or the list that does was not read yet. Costs nothing."""
    forgo_tools: Callable[[], None] = lambda: None
    """It was found to take no tools: from now on its calls are read from what it writes."""


class _Nobody:
    name = "nobody"

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        yield Failed("No model is asked here: another Bottega answers.", "unsupported")


def nobody(name: str) -> Model:
    """Stands where a model would, in an exchange that another Bottega answers."""
    return Model(name, name, _Nobody(), "", Abilities(), lambda _: None)
