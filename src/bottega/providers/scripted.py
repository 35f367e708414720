"""A provider that plays a script: for tests, demos and rehearsals of failure, without a network.

It remembers nothing. Which turn comes is read off the request alone, so it goes on after a restart
and in another process as if nothing had happened.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence

import msgspec

from bottega.errors import Problem
from bottega.messages.block import Block, Reasoning, Text, ToolUse, plain_text
from bottega.messages.message import Message, Usage
from bottega.providers.pace import estimated_tokens, pieces_of
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    ReasoningPiece,
    Request,
    Reset,
    Retrying,
    Started,
    StreamEvent,
    TextPiece,
)
from bottega.providers.script import (
    Call,
    Cut,
    Fail,
    Gate,
    Pause,
    ResetStep,
    Retry,
    Say,
    Script,
    Step,
    Stop,
    Think,
    Turn,
    load,
    script,
)

_GATE_POLL = 0.02


Read = Callable[[str], Script]


class Scripted:
    """Plays the script it is given, or, given none, the file that the request's model names; `read` opens that."""

    name = "scripted"

    def __init__(
        self, turns: Script | Sequence[Turn | Sequence[Step]] | None = None, *, read: Read = load
    ) -> None:
        self._script = turns if isinstance(turns, Script) or turns is None else script(turns)
        self._read = read

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        text, answers, since_user = _place(request.messages)
        try:
            played = self._script or await asyncio.to_thread(self._read, request.model)
            turn = await asyncio.to_thread(played.turn, answers, since_user, text)
        except Problem as problem:
            yield Failed(problem.message, "unknown_model", hint=problem.hint)
            return
        answer = _Answer(played, turn, answers, request)
        yield Started(played.model)
        for step in answer.turn.steps:
            async for event in answer.play(step):
                yield event
                if isinstance(event, Finished | Failed):
                    return
        yield answer.finished(None)


class _Answer:
    """One answer while it is played: the blocks so far, and how a step adds to them."""

    def __init__(self, played: Script, turn: Turn, answers: int, request: Request) -> None:
        self.turn = turn
        self._model = played.model
        self._answers = answers
        self._request = request
        self._blocks: list[Block] = []
        self._anew = False
        """After a reset the next piece stands behind a new start, as with a real provider."""

    async def play(self, step: Step) -> AsyncGenerator[StreamEvent, None]:
        match step:
            case Say() | Think() | Call():
                for event in (*self._begun(), *self._told(step)):
                    if step.pace_ms:
                        await asyncio.sleep(step.pace_ms / 1000)
                    yield event
            case Gate() | Pause():
                await _wait(step)
            case Retry(number, of, delay, reason):
                yield Retrying(number, of, delay, reason)
                await asyncio.sleep(delay)
            case ResetStep(reason):
                self._blocks.clear()
                self._anew = True
                yield Reset(reason)
            case Cut():
                yield Failed("The answer broke off in the middle.", "cut_off", retryable=True)
            case Fail():
                yield Failed(**msgspec.structs.asdict(step))
            case Stop():
                yield self.finished(step)

    def _begun(self) -> list[StreamEvent]:
        anew, self._anew = self._anew, False
        return [Started(self._model)] if anew else []

    def _told(self, step: Say | Think | Call) -> list[StreamEvent]:
        match step:
            case Say(text):
                self._add(Text(text))
                return [TextPiece(piece) for piece in pieces_of(text, step.pieces)]
            case Think(text):
                self._add(Reasoning(text))
                return [ReasoningPiece(piece) for piece in pieces_of(text, step.pieces)]
            case Call(name, given, malformed):
                number = len(self._calls())
                use = ToolUse(step.id or self._id(number), name, given, malformed)
                self._blocks.append(use)
                written = malformed or msgspec.json.encode(given).decode()
                pieces = [CallPiece(number, piece) for piece in pieces_of(written, step.pieces)]
                return [CallPiece(number, "", use.id, name), *pieces]

    def _id(self, number: int) -> str:
        return f"call_{self._answers + 1}_{number + 1}"

    def _add(self, block: Text | Reasoning) -> None:
        """Neighbours of one kind are one block, as with any provider."""
        last = self._blocks[-1] if self._blocks else None
        if isinstance(last, Text) and isinstance(block, Text):
            self._blocks[-1] = Text(last.text + block.text)
        elif isinstance(last, Reasoning) and isinstance(block, Reasoning):
            self._blocks[-1] = Reasoning(last.text + block.text)
        elif block.text:
            self._blocks.append(block)

    def finished(self, stop: Stop | None) -> Finished:
        reason = stop.reason if stop else "tool_use" if self._calls() else "end_turn"
        usage = (stop and stop.usage) or self.turn.usage or self._estimate()
        return Finished(tuple(self._blocks), reason, usage, self._model, reason, cost=0)

    def _estimate(self) -> Usage:
        return Usage(estimated_tokens(self._request), sum(map(_size, self._blocks)) // 4 + 1)

    def _calls(self) -> list[ToolUse]:
        return [block for block in self._blocks if isinstance(block, ToolUse)]


def _size(block: Block) -> int:
    if isinstance(block, Text | Reasoning):
        return len(block.text)
    return len(str(block.input)) if isinstance(block, ToolUse) else 0


def _place(messages: Sequence[Message]) -> tuple[str, int, int]:
    """The user's last words, how many answers there are in all, and how many since those words."""
    answers = since_user = 0
    text = ""
    for message in messages:
        if message.role == "assistant":
            answers += 1
            since_user += 1
        elif message.role == "user" and plain_text(message.content):
            text, since_user = plain_text(message.content), 0
    return text, answers, since_user


async def _wait(step: Gate | Pause) -> None:
    if isinstance(step, Pause):
        await asyncio.sleep(step.ms / 1000)
        return
    while not await asyncio.to_thread(os.path.exists, step.path):  # noqa: ASYNC110
        await asyncio.sleep(_GATE_POLL)
