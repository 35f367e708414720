"""One model call: its pieces as they come, then the whole answer, as the agent's type reads it."""

import msgspec

from bottega.agents.model import Model
from bottega.agents.shape import Lens, Shaped, Shaper
from bottega.agents.world import World
from bottega.events import facts
from bottega.ids import fresh
from bottega.messages.block import Block, ToolUse
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    ReasoningPiece,
    Request,
    Reset,
    Retrying,
    StreamEvent,
    TextPiece,
)


class Answer(msgspec.Struct, frozen=True):
    said: facts.AssistantMessage
    shaped: Shaped


class Call:
    """One step's model call, which may need more than one attempt."""

    _shaper: Shaper

    def __init__(self, model: Model, world: World, step: int) -> None:
        self._model = model
        self._world = world
        self._step = step
        self._attempt = 0
        self._lens: Lens | None = None
        """What the text that is being written is seen through; each text has its own."""

    async def ask(
        self, request: Request, shaper: Shaper, notices: tuple[str, ...] = ()
    ) -> Answer | Failed:
        """The answer, emitted; or the failure, which is not told yet."""
        self._shaper = shaper
        async with self._world.calling(request) as stream:
            self._begin()
            async for event in stream:
                if isinstance(event, TextPiece):
                    self._show(event.text)
                    await self._world.room()
                elif isinstance(event, Finished):
                    self._end_text()
                    shaped = await shaper.shaped(_told_apart(event.content), self._step)
                    return self._finished(event, shaped, notices)
                elif isinstance(event, Failed):
                    return event
                elif isinstance(event, Reset):
                    self._world.emit(facts.StreamReset(event.reason))
                    self._begin()
                else:
                    self._emit(event)
                    await self._world.room()
        raise AssertionError(f"{self._model.provider.name} ended its stream without a last event")

    def _begin(self) -> None:
        self._attempt += 1
        self._world.count(self._step, self._attempt)
        self._world.emit(facts.MessageStart(self._model.name, self._model.provider.name))
        self._lens = None

    def _show(self, text: str) -> None:
        lens = self._lens or self._shaper.lens()
        if lens is None:
            self._world.emit(facts.TextDelta(text))
            return
        self._lens = lens
        for piece in lens.feed(text):
            self._world.emit(piece)

    def _end_text(self) -> None:
        """What was held back of a text is shown before anything else begins."""
        if self._lens:
            for piece in self._lens.rest():
                self._world.emit(piece)
            self._lens = None

    def _emit(self, event: StreamEvent) -> None:
        if isinstance(event, ReasoningPiece):
            self._end_text()
            self._world.emit(facts.ReasoningDelta(event.text))
        elif isinstance(event, CallPiece):
            self._end_text()
            piece = facts.InputJsonDelta(event.call, event.partial_json, event.id, event.name)
            self._world.emit(piece)
        elif isinstance(event, Retrying):
            delay = round(event.delay * 1000)
            self._world.emit(
                facts.ConversationRetrying(event.number, event.of, delay, event.reason)
            )

    def _finished(self, event: Finished, shaped: Shaped, notices: tuple[str, ...]) -> Answer:
        model = self._model
        said = facts.AssistantMessage(
            shaped.content,
            "tool_use" if shaped.calls_in_text else event.stop_reason,
            event.usage,
            event.model or model.wire_name,
            event.cost if event.cost is not None else model.price(event),
            event.provider_stop,
            asked=model.name,
            notices=(*notices, *event.notices),
        )
        # What follows is waited for, and this with it: the intent of its first call, or the exchange's end.
        self._world.emit(said)
        return Answer(said, shaped)


def _told_apart(content: tuple[Block, ...]) -> tuple[Block, ...]:
    """The same with an id of its own for each call: what is asked, allowed and answered goes by it."""
    known: set[str] = set()
    found: list[Block] = []
    for block in content:
        if not isinstance(block, ToolUse) or block.server:
            found.append(block)
            continue
        found.append(
            msgspec.structs.replace(block, id=fresh("call")) if block.id in known else block
        )
        known.add(block.id)
    return tuple(found)
