"""Logs for the fold: written by hand, or generated quickly from a seed."""

from collections.abc import Iterable
from random import Random
from typing import Any

from bottega.events.event import Actor, Event
from bottega.events.facts import (
    FACTS,
    NAMES,
    AssistantMessage,
    ExchangeResponse,
    InputJsonDelta,
    Interrupted,
    MessageStart,
    PromptQueued,
    ReasoningDelta,
    StreamReset,
    TextDelta,
    ToolIntent,
    ToolOutputDelta,
    ToolResultFact,
    UserMessage,
)
from bottega.messages.block import Block, Reasoning, Text, ToolResult, ToolUse
from bottega.messages.message import Usage

_ACTORS: dict[str, Actor] = {
    "prompt_queued": "user",
    "prompt_edited": "user",
    "prompt_moved": "user",
    "prompt_cancelled": "user",
    "user_message": "user",
    "approval_resolved": "user",
    "cancel_requested": "user",
    "mode_changed": "user",
    "model_changed": "user",
    "tool_result": "tool",
    "tool_output_delta": "tool",
    "text_delta": "provider",
    "reasoning_delta": "provider",
    "input_json_delta": "provider",
}


def log(*payloads: Any, message_id: str = "m1", start: int = 1, step: int = 0) -> list[Event]:
    """These payloads as a log: indexes without gaps, steps counted by their requests."""
    events: list[Event] = []
    attempt = min(step, 1)
    for index, payload in enumerate(payloads, start):
        if isinstance(payload, MessageStart):
            step, attempt = step + 1, 1
        if isinstance(payload, StreamReset):
            attempt += 1
        name = NAMES[type(payload)]
        actor = _ACTORS.get(name, "agent")
        events.append(Event(name, 1000 + index, payload, message_id, step, attempt, actor, index))
    return events


def prompt(text: str = "hi") -> list[Any]:
    said = (Text(text),)
    return [PromptQueued(said), UserMessage(said)]


def answer(*blocks: Block) -> AssistantMessage:
    stop = (
        "tool_use" if any(isinstance(b, ToolUse) and not b.server for b in blocks) else "end_turn"
    )
    return AssistantMessage(blocks, stop, Usage(10, 5), "model", 7)


def end(text: str = "", iterations: int = 1, **fields: Any) -> ExchangeResponse:
    return ExchangeResponse(
        **{"success": True, "completion_reason": "no_more_actions", "stop_reason": "end_turn"}
        | {"iterations": iterations, "final_response": text}
        | fields
    )


def call(name: str, tool: str = "read_file") -> ToolUse:
    return ToolUse(name, tool, {"path": name})


def ran(name: str, text: str = "fine", *, is_error: bool = False) -> list[Any]:
    """An intent and its result."""
    return [ToolIntent(name, "read_file", "hash"), result(name, text, is_error=is_error)]


def result(name: str, text: str = "fine", *, is_error: bool = False) -> ToolResultFact:
    return ToolResultFact(name, "read_file", (Text(text),), is_error)


class Generator:
    """Logs from a seed: the same number always gives the same log."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311

    def wild(self) -> list[Event]:
        """Any facts in any order: a log as no program should write it."""
        payloads = self._random.choices(_POOL, k=self._random.randrange(1, 25))
        return log(*payloads)

    def plausible(self) -> list[Event]:
        """A few exchanges as a worker writes them, with resets, crashes, cancels and steers."""
        events: list[Event] = []
        for number in range(self._random.randrange(1, 3)):
            payloads = [*prompt("go"), *self._steps(), end("done")]
            if self._random.random() < 0.2:
                payloads[1:1] = [FACTS["mode_changed"]("plan")]
            events += log(*payloads, message_id=f"m{number}", start=len(events) + 1)
        return events

    def _steps(self) -> Iterable[Any]:
        chance = self._random.random
        for step in range(self._random.randrange(1, 4)):
            yield MessageStart("model")
            yield from self._stream()
            while chance() < 0.15:
                yield StreamReset("cut off")
                yield from self._stream()
            if chance() < 0.1:
                yield Interrupted("the worker died")
                continue
            calls = [call(f"c{step}{n}") for n in range(self._random.choice((0, 0, 1, 2, 3)))]
            yield answer(*self._said(step), *calls)
            yield from self._results(calls)
            if chance() < 0.1:
                yield UserMessage((Text("rather"),), steer=True)

    def _stream(self) -> list[Any]:
        pieces = self._random.choices(_PIECES, k=self._random.randrange(5))
        return [piece for group in pieces for piece in group]

    def _said(self, step: int) -> tuple[Block, ...]:
        server = ToolUse(f"s{step}", "web_search", server=True)
        found = ToolResult(f"s{step}", (Text("found"),), server=True)
        choices: tuple[tuple[Block, ...], ...] = (
            (Text("so"),),
            (Reasoning("hm"), Text("so")),
            (Text("so"), server, found, Text("on")),
            (),
        )
        return self._random.choice(choices)

    def _results(self, calls: list[ToolUse]) -> list[Any]:
        started = [ToolIntent(use.id, use.name, "hash") for use in calls]
        output = [ToolOutputDelta(use.id, "...") for use in calls if self._random.random() < 0.3]
        return [*started, *output, *(result(use.id) for use in calls)]


_PIECES: list[list[Any]] = [
    [TextDelta("a")],
    [TextDelta("a"), TextDelta("b")],
    [ReasoningDelta("hm")],
    [
        InputJsonDelta(0, "", "c0", "read_file"),
        InputJsonDelta(0, '{"path"'),
        InputJsonDelta(0, "}"),
    ],
    [InputJsonDelta(0, "", "c0", "read_file"), InputJsonDelta(1, "", "c1", "read_file")],
]
_POOL: list[Any] = [
    *(piece for group in _PIECES for piece in group),
    *prompt(),
    *ran("a"),
    *ran("b", is_error=True),
    MessageStart("model"),
    MessageStart("model"),
    StreamReset("cut off"),
    Interrupted("the worker died"),
    answer(Text("so")),
    answer(call("a"), call("b")),
    answer(Reasoning("hm"), Text("so"), call("a")),
    answer(ToolUse("s", "web_search", server=True), ToolResult("s", (), server=True)),
    UserMessage((Text("rather"),), steer=True),
    end("done"),
    end("", success=False, completion_reason="limit"),
    FACTS["cancel_requested"](),
    FACTS["error_message"]("no", "bad_key"),
    FACTS["file_ready"]("a.py"),
]
