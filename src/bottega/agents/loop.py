"""The loop: think, act, look at the results, until there is nothing more to do.

It knows neither database nor product. What happens goes out through `World`; a limit or a failure of the provider ends
the exchange with a reason. It raises only what `World` raises, and cancellation.
"""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any, Protocol

import msgspec

from bottega.agents.agent import Agent
from bottega.events import facts
from bottega.messages.block import (
    Block,
    Origin,
    Reasoning,
    ToolResult,
    ToolUse,
    plain_text,
    tool_uses,
)
from bottega.messages.message import Message, StopReason
from bottega.messages.repair import repair
from bottega.messages.seal import unsealed
from bottega.providers.provider import (
    Abilities,
    CallPiece,
    Effort,
    Failed,
    Finished,
    Provider,
    ReasoningPiece,
    Request,
    Reset,
    Retrying,
    StreamEvent,
    TextPiece,
)
from bottega.tools.registry import Registry


class World(Protocol):
    """What the loop may do to what is around it."""

    def emit(self, payload: msgspec.Struct) -> None:
        """Put a fact into the log; nobody waits for it."""
        ...

    async def record(self, payload: msgspec.Struct) -> None:
        """Put a fact into the log; it is durable on return."""
        ...

    async def room(self) -> None:
        """Wait while the log cannot keep up."""
        ...

    def count(self, step: int, attempt: int) -> None:
        """What comes next belongs to this step and attempt."""
        ...

    def load(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Put the bytes of kept media back in."""
        ...

    def steers(self) -> list[Message]:
        """What the user said since the last step; it is in the log already."""
        ...

    async def act(self, uses: Sequence[ToolUse]) -> list[facts.ToolResultFact]:
        """Run the calls, record intent and result of each; the results in the order of the calls."""
        ...


class Model(msgspec.Struct, frozen=True):
    """The model that an exchange runs on."""

    name: str
    """With our prefix, as the user writes it."""
    wire_name: str
    """As the provider knows it."""
    provider: Provider
    origin: Origin
    abilities: Abilities
    price: Callable[[Finished], int | None]
    """What an answer costs in micro-USD; None: unknown."""
    effort: Effort | None = None
    temperature: float | None = None
    max_output: int | None = None


class Ended(msgspec.Struct, frozen=True):
    success: bool
    reason: str
    stop_reason: StopReason
    final_response: str = ""


async def run(
    agent: Agent,
    model: Model,
    registry: Registry,
    history: list[Message],
    world: World,
    *,
    folder: str,
    step: int = 0,
) -> Ended:
    """Run one exchange whose user message is the last of `history`; `step` calls were made before a restart."""
    while True:
        if step >= agent.limits.iterations:
            return await _limit(agent, world)
        step += 1
        request = _request(agent, model, registry, history, world, folder)
        answer = await _think(model, request, world, step)
        if answer is None:
            return Ended(False, "error", "error")
        history.append(Message("assistant", answer.content, model=model.name))
        uses = tool_uses(answer.content)
        if not uses:
            return _ended(agent, answer)
        for result in await world.act(uses):
            history.append(Message("tool", (_result(result),)))
        history += world.steers()


async def _limit(agent: Agent, world: World) -> Ended:
    count = agent.limits.iterations
    await world.record(
        facts.ErrorMessage(
            f"Stopped after {count} model calls, the limit of this agent.",
            "iteration_limit",
            hint="Say “go on” to continue from here, or raise the limit.",
        )
    )
    return Ended(False, "resource_limit_exceeded", "limit")


def _request(
    agent: Agent,
    model: Model,
    registry: Registry,
    history: list[Message],
    world: World,
    folder: str,
) -> Request:
    return Request(
        model=model.wire_name,
        messages=world.load(repair(unsealed(history, model.name), model.origin)),
        system=agent.system(folder),
        tools=registry.specs() if model.abilities.tools else (),
        temperature=_first(model.temperature, agent.temperature),
        max_output=_first(model.max_output, agent.max_output),
        effort=_first(model.effort, agent.effort),
        abilities=model.abilities,
    )


def _first(of_call: Any, of_agent: Any) -> Any:
    """What was asked for with this call wins over what the agent says."""
    return of_agent if of_call is None else of_call


async def _think(
    model: Model, request: Request, world: World, step: int
) -> facts.AssistantMessage | None:
    """One model call: deltas as they come, then the whole answer, durable; None after a failure that was told."""
    attempt = 1
    world.count(step, attempt)
    start = facts.MessageStart(model.name, model.provider.name)
    world.emit(start)
    async with aclosing(model.provider.stream(request)) as stream:
        async for event in stream:
            if isinstance(event, TextPiece):
                world.emit(facts.TextDelta(event.text))
                await world.room()
            elif isinstance(event, Finished):
                return await _finished(event, model, world)
            elif isinstance(event, Failed):
                await world.record(
                    facts.ErrorMessage(event.message, event.code, event.retryable, event.hint)
                )
                return None
            elif isinstance(event, Reset):
                world.emit(facts.StreamReset(event.reason))
                attempt += 1
                world.count(step, attempt)
                world.emit(start)
            else:
                _emit(event, world)
                await world.room()
    raise AssertionError(f"{model.provider.name} ended its stream without a terminal event")


def _emit(event: StreamEvent, world: World) -> None:
    if isinstance(event, ReasoningPiece):
        world.emit(facts.ReasoningDelta(event.text))
    elif isinstance(event, CallPiece):
        world.emit(facts.InputJsonDelta(event.call, event.partial_json, event.id, event.name))
    elif isinstance(event, Retrying):
        delay = round(event.delay * 1000)
        world.emit(facts.ConversationRetrying(event.number, event.of, delay, event.reason))


async def _finished(event: Finished, model: Model, world: World) -> facts.AssistantMessage:
    answer = facts.AssistantMessage(
        event.content,
        event.stop_reason,
        event.usage,
        event.model or model.wire_name,
        event.cost if event.cost is not None else model.price(event),
        event.provider_stop,
        asked=model.name,
        notices=event.notices,
    )
    if tool_uses(answer.content):
        await world.record(answer)
    else:
        world.emit(answer)  # the exchange ends with it, and that end is waited for
    return answer


def _result(result: facts.ToolResultFact) -> ToolResult:
    return ToolResult(result.tool_id, result.content, result.is_error)


def _ended(agent: Agent, answer: facts.AssistantMessage) -> Ended:
    text = plain_text(answer.content).strip()
    if agent.reasoning_in_answer:
        text = f"{_thoughts(answer.content)}{text}".strip()
    match answer.stop_reason:
        case "max_tokens":
            return Ended(False, "output_limit_reached", "max_tokens", text)
        case "refusal":
            return Ended(False, "refused", "refusal", text)
        case "stop_sequence":
            return Ended(True, "no_more_actions", "stop_sequence", text)
        case _:
            return Ended(True, "no_more_actions", "end_turn", text)


def _thoughts(blocks: tuple[Block, ...]) -> str:
    return "".join(f"{block.text}\n\n" for block in blocks if isinstance(block, Reasoning))
