"""What a call finds around it: the exchange that it belongs to, as far as calls need to know it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from bottega.agents.plan import Plan
from bottega.agents.world import Ended
from bottega.events import facts
from bottega.messages.block import ToolUse
from bottega.providers.provider import Request, StreamEvent
from bottega.sessions.pen import Also
from bottega.sessions.session import SessionRow
from bottega.storage.blobs import Blobs
from bottega.tools.tool import Outcome
from bottega.workers.acting.asking import Asking
from bottega.workers.acting.hands import Hands
from bottega.workers.acting.known import Known
from bottega.workers.acting.noted import Noted
from bottega.workers.told import Told
from bottega.workers.track import Track
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.fence import Fence
from bottega.workspaces.sandbox.sandbox import Sandbox

Show = Callable[[str], None]


class Done(msgspec.Struct, frozen=True):
    """How a task ended that was handed on."""

    session_id: str
    response: facts.ExchangeResponse


class Hires(Protocol):
    async def run(self, tool_id: str, agent: str, task: str, show: Show) -> Done:
        """Have an agent carry the task out, and wait for its end; `show` is told what it does."""
        ...


class Scene(Protocol):
    message_id: str
    session: SessionRow
    step: int
    plan: Plan
    hands: Hands
    known: Known
    told: Told
    track: Track
    asking: Asking
    fence: Fence
    store: Blobs
    leaving: bool
    closing: Ended | None
    """How it ends, once that is known."""

    @property
    def children(self) -> Hires: ...

    @property
    def parent(self) -> "Scene | None":
        """The exchange one of whose calls this one carries out."""
        ...

    @property
    def is_late(self) -> bool:
        """Its time is up, and nobody can be asked."""
        ...

    def emit(self, payload: msgspec.Struct) -> None: ...

    async def record(self, payload: msgspec.Struct, also: Also | None = None) -> None: ...

    async def kept(self, change: Change) -> tuple[facts.FileChange, ...]:
        """Keep the old and the new bytes of a change, durably."""
        ...

    async def intend(self, intent: facts.ToolIntent) -> None:
        """The intent is durable on return."""
        ...

    async def answer(
        self, use: ToolUse, outcome: Outcome, noted: Noted = ...
    ) -> facts.ToolResultFact: ...

    def calling(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Ask the model: judged by the limits, and counted."""
        ...

    async def keep(self, content: bytes) -> str:
        """Keep bytes as a blob of the session."""
        ...

    def held(self, path: str) -> bytes | None:
        """What the log last held of a file."""
        ...

    async def sandbox(self, root: Root, *, network: bool) -> Sandbox: ...
