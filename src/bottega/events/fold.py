"""The fold: advance by one stored fact, return what the layers above saw. Pure, and small.

No clock, floats, regular expressions or offsets into text: the browser's fold must give the same
events. `step` returns them in reading order, the fact itself among them. What must be seen before
the fact (a block's start before its first delta) has a negative `sub`, what follows a positive one.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from bottega.events import facts, layers
from bottega.events.event import Event
from bottega.messages.block import Reasoning, Text, ToolResult, ToolUse, plain_text, tool_uses

Open = Literal["", "text", "reasoning", "tool"]
Derived = tuple[str, Any]


class Fold(msgspec.Struct, frozen=True):
    """All that is remembered between two facts of a session."""

    message_id: str = ""
    """The exchange that runs; empty between exchanges."""
    open: Open = ""
    """The block that is being streamed."""
    block: int = -1
    """The place of that block in its message."""
    call: int = -1
    """Which call of the message is being streamed."""
    call_id: str = ""
    responding: bool = False
    last: facts.AssistantMessage | None = None
    """The answer of the current step, until its `agent_step` is told."""
    iteration: int = 0
    results: tuple[facts.ToolResultFact, ...] = ()


EMPTY = Fold()


def step(state: Fold, fact: Event) -> tuple[Fold, list[Event]]:
    """Advance the fold by one stored fact; return it among what the layers above saw."""
    payload = fact.data
    if type(payload) is facts.TextDelta and state.open == "text":
        return state, [fact]
    rule = _RULES.get(type(payload))
    if rule is None:
        return state, [fact]
    state, before, after = rule(state, fact, payload)
    if not before and not after:
        return state, [fact]
    return state, [
        *_derive(fact, before, -len(before)),
        fact,
        *_derive(fact, after, 1),
    ]


def replay(log: Iterable[Event], state: Fold = EMPTY) -> Iterator[Event]:
    """Every event of every layer, in reading order, for the facts of `log`."""
    for fact in log:
        state, seen = step(state, fact)
        yield from seen


def _derive(cause: Event, derived: list[Derived], sub: int) -> list[Event]:
    return [
        Event(
            name,
            cause.at,
            payload,
            cause.message_id,
            cause.step,
            cause.attempt,
            cause.actor,
            cause.index,
            sub + place,
        )
        for place, (name, payload) in enumerate(derived)
    ]


_Stepped = tuple[Fold, list[Derived], list[Derived]]
_NOTHING = layers.Nothing()


def _closed(state: Fold) -> list[Derived]:
    """The stop of the block that is open."""
    if state.open == "text":
        return [("text_content_block_stop", layers.BlockStop(state.block))]
    if state.open == "tool":
        return [("tool_use_content_block_stop", layers.ToolBlockStop(state.block, state.call_id))]
    return []


def _told(state: Fold, complete: bool) -> list[Derived]:
    """The step that is not told yet, as `agent_step`."""
    if state.last is None:
        return []
    answer = state.last
    thought = "".join(b.text for b in answer.content if isinstance(b, Reasoning))
    told = layers.AgentStep(
        iteration=state.iteration,
        thought=thought,
        tool_calls=tuple(_call(use) for use in tool_uses(answer.content)),
        tool_results=tuple(
            layers.StepResult(r.tool_id, r.name, result_text(r), r.is_error) for r in state.results
        ),
        response_text=plain_text(answer.content),
        is_complete=complete,
    )
    return [("agent_step", told)]


def _call(use: ToolUse) -> layers.ToolCall:
    return layers.ToolCall(use.id, use.name, use.input)


def result_text(result: facts.ToolResultFact) -> str:
    """A tool's result as text; media are named by their type."""
    return "".join(
        part.text if isinstance(part, Text) else f"[{part.media_type}]" for part in result.content
    )


def _change(state: Fold, **fields: Any) -> Fold:
    return msgspec.structs.replace(state, **fields)


def _prompt_queued(state: Fold, _: Event, __: facts.PromptQueued) -> _Stepped:
    return state, [], [("conversation_queued", _NOTHING)]


def _user_message(state: Fold, fact: Event, said: facts.UserMessage) -> _Stepped:
    if said.steer:
        return state, [], []
    request = layers.ExchangeRequest(said.content)
    before = [*_closed(state), *_told(state, complete=False)]
    started = Fold(message_id=fact.message_id)
    return started, before, [("exchange_request", request), ("conversation_start", _NOTHING)]


def _message_start(state: Fold, fact: Event, _: facts.MessageStart) -> _Stepped:
    before = [*_closed(state), *_told(state, complete=False)]
    return Fold(message_id=fact.message_id), before, [("conversation_thinking", _NOTHING)]


def _text_delta(state: Fold, _: Event, __: facts.TextDelta) -> _Stepped:
    before = _closed(state)
    if not state.responding:
        before.append(("conversation_responding", _NOTHING))
    state = _change(state, open="text", block=state.block + 1, responding=True)
    return state, [*before, ("text_content_block_start", layers.BlockStart(state.block))], []


def _reasoning_delta(state: Fold, _: Event, __: facts.ReasoningDelta) -> _Stepped:
    if state.open == "reasoning":
        return state, [], []
    return _change(state, open="reasoning", block=state.block + 1), _closed(state), []


def _input_json_delta(state: Fold, _: Event, piece: facts.InputJsonDelta) -> _Stepped:
    if piece.block <= state.call:  # servers may interleave the pieces of parallel calls
        return state, [], []
    before = _closed(state)
    state = _change(state, open="tool", block=state.block + 1, call=piece.block, call_id=piece.id)
    start = layers.ToolBlockStart(state.block, piece.id, piece.name)
    return state, [*before, ("tool_use_content_block_start", start)], []


def _stream_reset(state: Fold, _: Event, __: facts.StreamReset) -> _Stepped:
    return Fold(message_id=state.message_id), _closed(state), []


def _assistant_message(state: Fold, fact: Event, answer: facts.AssistantMessage) -> _Stepped:
    after: list[Derived] = [
        ("usage", answer.usage),
        ("message_delta", layers.MessageDelta(answer.stop_reason)),
        ("message_stop", _NOTHING),
    ]
    results: dict[str, ToolResult] = {}
    for block in answer.content:
        if isinstance(block, ToolResult):
            results.setdefault(block.tool_id, block)
    for use in answer.content:
        if isinstance(use, ToolUse):
            after += _planned(use)
            after += _ran_elsewhere(use, results) if use.server else []
    done = Fold(message_id=fact.message_id, last=answer, iteration=fact.step)
    return done, [*_closed(state), *_told(state, complete=False)], after


def _planned(use: ToolUse) -> list[Derived]:
    call = _call(use)
    empty = layers.ToolOutput("text", "")
    return [
        ("tool_call", call),
        ("tool_use_message", layers.ToolUseMessage(use.id, call, empty, complete=False)),
        ("tool_planned", layers.ToolState(use.id, use.name)),
    ]


def _ran_elsewhere(use: ToolUse, results: dict[str, ToolResult]) -> list[Derived]:
    """The result of a tool that the provider ran itself stands in the answer."""
    block = results.get(use.id)
    if block is None:
        return []
    result = facts.ToolResultFact(use.id, use.name, block.content, block.is_error)
    return [("tool_result", result), *_completed(_call(use), result)]


def _completed(call: layers.ToolCall, result: facts.ToolResultFact) -> list[Derived]:
    output = layers.ToolOutput("error-text" if result.is_error else "text", result_text(result))
    return [
        ("tool_completed", layers.ToolState(result.tool_id, result.name)),
        ("tool_use_message", layers.ToolUseMessage(call.id, call, output, complete=True)),
    ]


def _tool_intent(state: Fold, _: Event, intent: facts.ToolIntent) -> _Stepped:
    return state, [], [("tool_executing", layers.ToolState(intent.tool_id, intent.name))]


def _tool_result(state: Fold, _: Event, result: facts.ToolResultFact) -> _Stepped:
    uses = tool_uses(state.last.content) if state.last else []
    use = next((use for use in uses if use.id == result.tool_id), None)
    call = _call(use) if use else layers.ToolCall(result.tool_id, result.name, {})
    after = _completed(call, result)
    asked = sum(use.id == result.tool_id for use in uses)
    if sum(known.tool_id == result.tool_id for known in state.results) >= asked:
        return state, [], after
    state = _change(state, results=(*state.results, result))
    if len(state.results) == len(uses):
        after += _told(state, complete=False)
        state = _change(state, last=None, results=())
    return state, [], after


def _exchange_response(state: Fold, _: Event, end: facts.ExchangeResponse) -> _Stepped:
    before = [*_closed(state), *_told(state, complete=end.success)]
    return EMPTY, [*before, ("conversation_end", _NOTHING)], []


_RULES: dict[Any, Any] = {
    facts.PromptQueued: _prompt_queued,
    facts.UserMessage: _user_message,
    facts.MessageStart: _message_start,
    facts.TextDelta: _text_delta,
    facts.ReasoningDelta: _reasoning_delta,
    facts.InputJsonDelta: _input_json_delta,
    facts.StreamReset: _stream_reset,
    facts.AssistantMessage: _assistant_message,
    facts.ToolIntent: _tool_intent,
    facts.ToolResultFact: _tool_result,
    facts.ExchangeResponse: _exchange_response,
}
