"""Any history, made into one that a strict provider accepts: after crash, cancel, another model.

Each call of ours has exactly one result, right after its message, in the order of the calls; users
and assistants take turns; a user begins, and a user or a result comes last. What was visibly said
is never lost. A history that is valid comes back as it is, and a new message changes nothing that
was mended before it, so that the providers' caches hold.
"""

from collections import deque
from collections.abc import Sequence

import msgspec

from bottega.messages import fit
from bottega.messages.block import Block, Origin, Text, ToolResult, ToolUse
from bottega.messages.message import Message, Role

INTERRUPTED = "interrupted: outcome unknown"
NOT_RUN = "not run: the arguments were not a JSON object"
OPENING = "(The conversation goes on from here.)"
"""The user's first word where an assistant would begin: some providers refuse that."""
GO_ON = "(Go on.)"
"""The user's last word where an assistant would have it: some models refuse to go on from there."""

_replace = msgspec.structs.replace


def repair(messages: Sequence[Message], origin: Origin) -> tuple[Message, ...]:
    """The same conversation as the wire protocol `origin` accepts it; nothing is mended twice."""
    if _is_valid(messages, origin):
        return tuple(messages)
    mending = _Mending(origin)
    for message in messages:
        mending.take(message)
    return mending.done()


def _is_valid(messages: Sequence[Message], origin: Origin) -> bool:
    calls: list[str] = []
    provided: list[str] = []
    done = 0
    before = ""
    for message in messages:
        role, content = message.role, message.content
        if role == "tool":
            if done == len(calls) or not _is_result(content, calls[done], origin):
                return False
            done += 1
        elif role == before or done != len(calls) or not content:
            return False
        elif role == "assistant":
            if not before or fit.answered(content, origin, ()) is not content:
                return False
            _note_calls(content, calls, provided)
        elif fit.said(content, origin) is not content:
            return False
        before = role
    if before == "assistant" or done != len(calls):
        return False
    unique = len({*calls, *provided}) == len(calls) + len(provided)
    return unique and fit.are_ids(calls, origin)


def _note_calls(content: tuple[Block, ...], calls: list[str], provided: list[str]) -> None:
    for block in content:
        if type(block) is ToolUse:
            (provided if block.server else calls).append(block.id)


def _is_result(content: tuple[Block, ...], call: str, origin: Origin) -> bool:
    if len(content) != 1:
        return False
    result = content[0]
    if type(result) is not ToolResult or result.server or result.tool_id != call:
        return False
    return fit.result(result, origin) is result


class _Call:
    """A call of ours that waits for its result."""

    __slots__ = ("id", "lost", "result")

    def __init__(self, fresh: str, lost: str) -> None:
        self.id = fresh
        self.lost = lost
        """What to say if no result comes."""
        self.result: Message | None = None


class _Turn:
    __slots__ = ("at", "calls", "content", "role")

    def __init__(self, role: Role, at: int) -> None:
        self.role: Role = role
        self.at = at
        self.content: list[Block] = []
        self.calls: list[_Call] = []


class _Mending:
    """The conversation so far, as turns whose calls may still wait for their results."""

    def __init__(self, origin: Origin) -> None:
        self._origin: Origin = origin
        self._turns: list[_Turn] = []
        self._waiting: dict[str, deque[_Call]] = {}
        """By the id that they came with; of calls with the same id, those of the latest message."""
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._at = 0

    def take(self, message: Message) -> None:
        self._at = message.at
        if message.role == "user" and (content := fit.said(message.content, self._origin)):
            self._turn("user").content.extend(content)
        elif message.role == "assistant":
            self._take_answer(message.content)
        for block in message.content:
            if type(block) is ToolResult and not block.server:
                self._take_result(block)

    def _turn(self, role: Role) -> _Turn:
        """The turn that goes on, or a new one: who speaks twice in a row has spoken once."""
        last = self._turns[-1] if self._turns else None
        if last and last.role == role and not last.calls:
            return last
        self._turns.append(_Turn(role, self._at))
        return self._turns[-1]

    def _take_answer(self, content: tuple[Block, ...]) -> None:
        fitted = fit.answered(content, self._origin, self._taken)
        if not fitted:
            return
        turn = self._turn("assistant")
        self._taken.update(b.id for b in fitted if type(b) is ToolUse and b.server)
        unrun = {b.id for b in content if type(b) is ToolUse and b.malformed}
        mine: dict[str, deque[_Call]] = {}
        for block in fitted:
            if type(block) is ToolUse and not block.server:
                call = _Call(self._claim(block.id), NOT_RUN if block.id in unrun else INTERRUPTED)
                turn.calls.append(call)
                mine.setdefault(block.id, deque()).append(call)
                if call.id != block.id:
                    block = _replace(block, id=call.id, raw=None)  # noqa: PLW2901
            turn.content.append(block)
        self._waiting.update(mine)

    def _take_result(self, block: ToolResult) -> None:
        """Give it to the first call that waits for it; what nobody waits for is left out."""
        waiting = self._waiting.get(block.tool_id)
        if not waiting:
            return
        call = waiting.popleft()
        if call.id != block.tool_id:
            block = _replace(block, tool_id=call.id, raw=None)
        call.result = Message("tool", (fit.result(block, self._origin),), self._at)

    def _claim(self, wish: str) -> str:
        """An id like `wish` that the provider takes and no earlier call has."""
        length = fit.id_length(self._origin)
        base = fresh = fit.name(wish, "call", length)
        while fresh in self._taken:
            self._numbers[base] = self._numbers.get(base, 1) + 1
            ending = f"_{self._numbers[base]}"
            fresh = base[: length - len(ending)] + ending
        self._taken.add(fresh)
        return fresh

    def done(self) -> tuple[Message, ...]:
        mended: list[Message] = []
        if self._turns and self._turns[0].role == "assistant":
            mended.append(Message("user", (Text(OPENING),), self._turns[0].at))
        for turn in self._turns:
            mended.append(Message(turn.role, tuple(turn.content), turn.at))
            for call in turn.calls:
                lost = ToolResult(call.id, (Text(call.lost),), is_error=True)
                mended.append(call.result or Message("tool", (lost,), turn.at))
        if not mended or mended[-1].role == "assistant":
            mended.append(Message("user", (Text(GO_ON),), self._at))
        return tuple(mended)
