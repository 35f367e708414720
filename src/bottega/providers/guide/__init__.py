"""The guide: the model that is always there. Rules, no network, plainly labelled.

It is a newcomer's first two minutes: it greets, explains, and shows with real tool calls what an
agent does here.
"""

import asyncio
from collections.abc import AsyncGenerator

import msgspec

from bottega.messages.message import Usage
from bottega.providers.guide.reply import blocks, reply
from bottega.providers.pace import estimated_tokens, pieces_of
from bottega.providers.provider import (
    CallPiece,
    Finished,
    Request,
    Started,
    StreamEvent,
    TextPiece,
)

_MOST_PIECES = 160
"""Longer answers come in larger pieces, so that none takes more than a few seconds."""


class Guide:
    name = "guide"

    def __init__(self, pace_ms: float = 12) -> None:
        self._pace = pace_ms / 1000

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        yield Started("guide")
        said = reply(request)
        for piece in _paced(said.text):
            if self._pace:
                await asyncio.sleep(self._pace)
            yield TextPiece(piece)
        written = 0
        for number, use in enumerate(said.calls):
            given = msgspec.json.encode(use.input).decode()
            written += len(given)
            yield CallPiece(number, given, use.id, use.name)
        yield Finished(
            blocks(said),
            "tool_use" if said.calls else "end_turn",
            Usage(estimated_tokens(request), (len(said.text) + written) // 4 + 1),
            "guide",
            cost=0,
        )


def _paced(text: str) -> list[str]:
    words = pieces_of(text)
    together = -(-len(words) // _MOST_PIECES) or 1
    return ["".join(words[at : at + together]) for at in range(0, len(words), together)]
