"""What the loop may do to what is around it. It knows neither database nor product: all that reaches it is here."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol

import msgspec

from bottega.agents.plan import Plan
from bottega.approvals.mode import Mode
from bottega.events import facts
from bottega.messages.block import ToolUse
from bottega.messages.message import Message, StopReason
from bottega.providers.provider import Request, StreamEvent

Reason = Literal["full", "overflow", "asked"]
"""Why room is made: the request is nearly too long, the provider refused it, or a person asked."""


class Ended(msgspec.Struct, frozen=True):
    """How an exchange came to its end."""

    success: bool
    reason: str
    stop_reason: StopReason
    final_response: str = ""
    output: Any = None
    """What a schema asked for."""
    repairs: int = 0


STOPPED = Ended(False, "user_stopped", "cancelled")
LIMITED = Ended(False, "resource_limit_exceeded", "limit")


class Left(msgspec.Struct, frozen=True):
    """The last answer of an exchange that was broken off, and all results of its calls; nothing came of it yet."""

    said: facts.AssistantMessage
    results: tuple[facts.ToolResultFact, ...] = ()


class World(Protocol):
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

    def calling(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Ask the model, in the only way there is: it is judged by the limits before, and what it used is counted,
        however it ends. Raises `LimitReached` where nothing more may be asked."""
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

    async def offer(self, plan: str) -> None:
        """Have the person accept, change or discard a plan."""
        ...

    def system(self) -> str:
        """The system prompt, the same to the byte in every step."""
        ...

    async def tell(self, history: list[Message], mode: Mode) -> None:
        """Put into the history, and the log, what the model should know before its next answer."""
        ...

    def forgo_tools(self) -> Plan:
        """The model was found to take no tools: what the exchange runs with from now on."""
        ...

    def remark(self, history: list[Message], text: str) -> None:
        """Say something to the model that is nobody's words."""
        ...

    async def make_room(self, history: list[Message], reason: Reason) -> bool:
        """Make the history shorter, if it is too long; True if it was."""
        ...

    async def over(self, repeats: int) -> Ended | None:
        """The end, if a limit is reached and nobody raises it. `repeats`: how often the same calls came in a row."""
        ...

    def seconds_left(self) -> float | None:
        """How long the next step may take; None: as long as it likes."""
        ...

    async def out_of_time(self) -> Ended:
        """The end of an exchange whose step took too long."""
        ...
