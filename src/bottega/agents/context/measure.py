"""How many tokens each part of a request is: the provider's own count of the whole where there is one, guesses else.

A guess is `estimate` times what the model's own counts say of our guesses; the parts of a request always add up to its
total.
"""

from collections.abc import Iterable, Sequence

import msgspec

from bottega.agents.context import estimate
from bottega.agents.context.estimate import Calibration
from bottega.messages.block import Block, Media, Reasoning, Text, ToolResult, ToolUse
from bottega.messages.message import Message, Usage
from bottega.providers.provider import Request, ToolSpec

AROUND = 4
"""Tokens that a message costs besides what it says."""

PARTS: tuple[str, ...] = (
    "system", "tools", "instructions", "words", "asides", "answers", "calls", "results", "media",
)  # fmt: skip
"""What a request is made of, in the order in which it is told."""

_encode = msgspec.json.Encoder(enc_hook=str).encode


class Answered(msgspec.Struct, frozen=True):
    """What a provider counted for an answer: the message is the answer's place in the history."""

    place: int
    usage: Usage


def tool_tokens(tools: Iterable[ToolSpec]) -> float:
    return sum(
        estimate.tokens(tool.name + tool.description)
        + estimate.tokens(_encode(tool.schema).decode())
        for tool in tools
    )


def message_tokens(message: Message) -> float:
    """About how many tokens a message is."""
    return AROUND + sum(count for _, count in _told(message))


def request_tokens(request: Request) -> int:
    """About how many tokens a whole request is; what is long and was never counted takes a while."""
    before = estimate.tokens(request.system) + tool_tokens(request.tools)
    return round(before + sum(map(message_tokens, request.messages)))


def words_tokens(message: Message) -> float:
    """Of a user's message: what the user said and showed, without asides."""
    return sum(count for part, count in _told(message) if part in ("words", "media"))


def measure(
    messages: Sequence[Message],
    system: str = "",
    tools: Iterable[ToolSpec] = (),
    instructions: Iterable[str] = (),
) -> dict[str, float]:
    """Guesses for each part of a request with these; `instructions` are texts that stand inside `system`."""
    parts: dict[str, float] = dict.fromkeys(PARTS, 0.0)
    parts["instructions"] = sum(estimate.tokens(each) for each in instructions if each in system)
    parts["system"] = max(0.0, estimate.tokens(system) - parts["instructions"])
    parts["tools"] = tool_tokens(tools)
    around = {"user": "words", "assistant": "answers", "tool": "results"}
    for message in messages:
        parts[around[message.role]] += AROUND
        for part, count in _told(message):
            parts[part] += count
    return parts


def calibrated(
    messages: Sequence[Message], fixed: float, answers: Iterable[Answered]
) -> Calibration:
    """What the counts of these answers say of our guesses; `fixed` is the guess of what comes before messages."""
    reached, place = fixed, 0
    known = Calibration()
    for answer in sorted(answers, key=lambda each: each.place):
        for message in messages[place : answer.place]:
            reached += message_tokens(message)
        place = max(place, answer.place)
        known.note(reached, answer.usage.input_tokens)
    return known


def scaled(parts: dict[str, float], total: float) -> dict[str, int]:
    """The parts as whole numbers that add up to the total."""
    whole = sum(parts.values())
    if not whole:
        return dict.fromkeys(parts, 0)
    exact = {name: count * total / whole for name, count in parts.items()}
    rounded = {name: int(count) for name, count in exact.items()}
    largest = max(exact, key=lambda name: exact[name])
    rounded[largest] += round(total) - sum(rounded.values())
    return rounded


FIXED = 20_000
"""Tokens that system prompt and tools hardly ever are."""


def at_most(messages: Sequence[Message]) -> float:
    """More tokens than a request with these messages has, nearly for sure; a hundred times quicker than a guess."""
    total = float(FIXED)
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolResult):
                total += sum(map(_most, block.content))
            else:
                total += _most(block)
    return total


def _most(block: Block) -> float:
    if isinstance(block, Text | Reasoning):
        text = block.text
        return len(text) * (0.5 if text.isascii() else 1.5)
    if isinstance(block, ToolUse):
        return len(block.malformed) + len(_encode(block.input))
    return estimate.MEDIA["document"] if isinstance(block, Media) else 0.0


class Gauge:
    """How full the window is, at next to no cost: what the provider last counted, and a guess of what came since."""

    def __init__(self) -> None:
        self.counted: int | None = None
        """Tokens of all up to the last answer, with it; None: nobody has counted what is seen now."""
        self.factor = 1.0

    def answered(self, usage: Usage) -> None:
        if usage.input_tokens > 0:
            said = max(0, usage.output_tokens - usage.reasoning_tokens)
            self.counted = usage.input_tokens + said

    def total(self, messages: Sequence[Message], fixed: float | None = None) -> int:
        """Tokens of a request with these messages; `fixed` is the guess of what comes before them, if it matters."""
        if self.counted is None:
            return round((sum(map(message_tokens, messages)) + (fixed or 0.0)) * self.factor)
        since = 0.0
        for message in reversed(messages):
            if message.role == "assistant":
                break
            since += message_tokens(message)
        return self.counted + round(since * self.factor)


def _told(message: Message) -> Iterable[tuple[str, float]]:
    for block in message.content:
        if isinstance(block, ToolResult):
            for inner in block.content:
                yield _block(inner, "results")
        else:
            yield _block(block, "words" if message.role == "user" else "answers")


def _block(block: Block, said: str) -> tuple[str, float]:
    if isinstance(block, Text):
        return "asides" if block.aside else said, estimate.tokens(block.text)
    if isinstance(block, Reasoning):
        return said, estimate.tokens(block.text)
    if isinstance(block, ToolUse):
        arguments = block.malformed or _encode(block.input).decode()
        return "calls", estimate.tokens(block.name) + estimate.tokens(arguments)
    if isinstance(block, Media):
        return "media", float(estimate.MEDIA.get(type(block).__name__.lower(), 1_000))
    return said, 0.0
