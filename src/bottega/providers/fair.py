"""A model that several people use: so many calls at once for each, and one person's floods of words take turns.

Whoever streams from many fast models at once would else keep the event loop to themselves: every stream may hand on
`PART` events, then waits for its turn among the person's own.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from bottega.fairness import Turns
from bottega.providers.provider import Provider, Request, StreamEvent

PART = 32
"""Events that a stream hands on before it waits for its turn."""


class Fair:
    """Implements `Provider` for one person; whoever asks holds one of the person's places meanwhile."""

    def __init__(self, provider: Provider, person: int, turns: Turns) -> None:
        self.name = provider.name
        self._provider = provider
        self._person = person
        self._turns = turns

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        count = 0
        async with aclosing(self._provider.stream(request)) as events:
            async for event in events:
                yield event
                count += 1
                if count % PART == 0:
                    await self._turns.next(self._person)
