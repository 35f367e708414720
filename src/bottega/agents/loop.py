"""The loop: think, act, look at the results, until there is nothing more to do.

It knows neither database nor product. What happens goes out through `World`; a limit or a failure of the provider ends
the exchange with a reason. It raises only what `World` raises, and cancellation.
"""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Literal, Protocol

import msgspec

from bottega.agents.agent import Agent
from bottega.agents.model import Model
from bottega.agents.plan import Plan
from bottega.approvals.mode import Mode
from bottega.events import facts
from bottega.messages.block import (
    Block,
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

    async def steers(self) -> list[Message]:
        """What the user said meanwhile, now in the log."""
        ...

    def mode(self) -> Mode:
        """The mode of the step that begins now: the model is told it, and its calls are judged by it."""
        ...

    async def act(self, uses: Sequence[ToolUse], mode: Mode) -> list[facts.ToolResultFact]:
        """Run the calls, record intent and result of each; the results in the order of the calls."""
        ...

    async def make_room(
        self, history: list[Message], reason: Literal["full", "overflow", "asked"]
    ) -> bool:
        """Make the history smaller if the model's window is full, or was found to be; True if it is another one."""
        ...

    async def offer(self, plan: str) -> None:
        """Have the person accept, change or discard a plan."""
        ...


class Ended(msgspec.Struct, frozen=True):
    success: bool
    reason: str
    stop_reason: StopReason
    final_response: str = ""


async def run(plan: Plan, history: list[Message], world: World, step: int = 0) -> Ended:
    """Run one exchange whose user message is the last of `history`; `step` calls were made before a restart."""
    while True:
        if step >= plan.agent.limits.iterations:
            return await _limit(plan.agent, world)
        step += 1
        mode = world.mode()
        notices = plan.notices if step == 1 else ()
        await world.make_room(history, "full")
        request = _request(plan, history, world, mode)
        answer = await _think(plan.model, request, world, step, notices)
        if isinstance(answer, Failed):
            if answer.code == "context_overflow" and await world.make_room(history, "overflow"):
                step -= 1
                continue
            await world.record(
                facts.ErrorMessage(answer.message, answer.code, answer.retryable, answer.hint)
            )
            return Ended(False, "error", "error")
        history.append(Message("assistant", answer.content, model=plan.model.name))
        uses = tool_uses(answer.content)
        for result in await world.act(uses, mode) if uses else ():
            history.append(Message("tool", (_result(result),)))
        steers = await world.steers()
        if not uses and not steers:
            ended = _ended(plan.agent, answer)
            if mode == "plan" and ended.success and ended.final_response:
                await world.offer(ended.final_response)
            return ended
        history += steers


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


def _request(plan: Plan, history: list[Message], world: World, mode: Mode) -> Request:
    model, wishes = plan.model, plan.wishes
    return Request(
        model=model.wire_name,
        messages=world.load(repair(unsealed(history, model.name), model.origin)),
        system=plan.agent.system(plan.folder, mode),
        tools=plan.registry.specs() if model.abilities.tools else (),
        temperature=wishes.temperature,
        max_output=wishes.max_output,
        effort=wishes.effort,
        abilities=model.abilities,
    )


async def _think(
    model: Model, request: Request, world: World, step: int, notices: tuple[str, ...]
) -> facts.AssistantMessage | Failed:
    """One model call: deltas as they come, then the whole answer, or why there is none."""
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
                return _finished(event, model, world, notices)
            elif isinstance(event, Failed):
                return event
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


def _finished(
    event: Finished, model: Model, world: World, notices: tuple[str, ...]
) -> facts.AssistantMessage:
    answer = facts.AssistantMessage(
        event.content,
        event.stop_reason,
        event.usage,
        event.model or model.wire_name,
        event.cost if event.cost is not None else model.price(event),
        event.provider_stop,
        asked=model.name,
        notices=(*notices, *event.notices),
    )
    # What follows is waited for, and this with it: the intent of its first call, or the exchange's end.
    world.emit(answer)
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
