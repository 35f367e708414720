"""A studio and its sessions, wherever they are: in this process, or behind another Bottega's address.

`Studio` and `client.Remote` are both an `AnyStudio`: what is written for one works with the other, and sees the same
events.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from bottega.approvals.mode import Mode
from bottega.events.event import Event
from bottega.messages.block import Block
from bottega.messages.message import Message
from bottega.providers.provider import Wishes
from bottega.sessions.asks import Ask, Word
from bottega.sessions.changes.work import Work
from bottega.sessions.clients import ClientTool
from bottega.sessions.session import SessionRow
from bottega.sessions.told import views
from bottega.studio.answering import Answering, Callback
from bottega.studio.context import Context
from bottega.studio.structured import Shape
from bottega.studio.worked import Undone

NO_WISHES = Wishes()


class AnyWorked(Protocol):
    """What a session changed in its folder."""

    @property
    def works(self) -> tuple[Work, ...]: ...

    async def diff(self, work: Work) -> str: ...


class AnySession(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def row(self) -> SessionRow: ...

    @property
    def mode(self) -> Mode: ...

    def prompt(  # noqa: PLR0913 - each is a word of its own
        self,
        content: str | tuple[Block, ...],
        *,
        model: str = "",
        agent: str = "",
        wishes: Wishes = NO_WISHES,
        message_id: str = "",
        on_chunk: Callback | None = None,
        on_additional_message: Callback | None = None,
        on_complete: Callback | None = None,
        on_approval: Callback | None = None,
        wait: bool | None = None,
        schema: Shape | None = None,
    ) -> Answering:
        """Admit a prompt and follow its exchange: iterate over the events, or await the end."""
        ...

    def steer(self, content: str | tuple[Block, ...]) -> Answering:
        """Say something into the exchange that runs, and share its end."""
        ...

    def resume(
        self, *, on_approval: Callback | None = None, wait: bool = False
    ) -> Answering | None:
        """Follow the exchange that is under way, or waits for an answer; None if none is."""
        ...

    async def edit(self, message_id: str, content: str | tuple[Block, ...]) -> None:
        """Change what a prompt says that still waits."""
        ...

    async def cancel(self, message_id: str) -> bool: ...

    def is_busy(self) -> bool:
        """Whether a prompt runs or waits here."""
        ...

    def children(self) -> "Sequence[AnySession]":
        """The sessions that this one's agent handed tasks to, the oldest first."""
        ...

    def asks(self) -> list[Ask]:
        """What waits for an answer."""
        ...

    async def answer(
        self,
        ask: Ask | str,
        word: Word,
        *,
        note: str = "",
        input: dict[str, Any] | None = None,
        grant: str = "",
        shown: str = "",
    ) -> None: ...

    async def declare_tools(self, tools: Iterable[ClientTool]) -> None:
        """Tools that this client runs itself: each call of one is an ask of kind `client`."""
        ...

    async def send_tool_result(
        self, tool_id: str, result: Any, *, is_error: bool = False
    ) -> None: ...

    async def accept_plan(
        self,
        mode: Mode = "ask",
        *,
        edited: str = "",
        on_approval: Callback | None = None,
        wait: bool | None = None,
    ) -> Answering: ...

    async def discard_plan(self) -> None: ...

    def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Every event past the cursor, facts and what is derived from them, then what comes."""
        ...

    def react(self, **handlers: Callback) -> Callable[[], None]:
        """Call `on_<event type>` for what happens from now on; returns the unsubscribe."""
        ...

    async def change_mode(self, mode: Mode) -> None: ...

    async def change_model(self, name: str) -> None: ...

    async def change_agent(self, slug: str) -> None: ...

    async def context(self) -> Context: ...

    async def compact(self) -> bool | None: ...

    async def undo_compaction(self, compaction: int = 0) -> int: ...

    async def reset(self) -> bool: ...

    async def clear(self) -> None: ...

    async def close(self) -> None: ...

    async def changes(self) -> AnyWorked: ...

    async def revert(
        self, paths: Iterable[str] | None = None, *, force: bool = False
    ) -> Undone: ...

    async def tail(self, limit: int = 80) -> list[Event]: ...

    async def facts(self) -> list[Event]: ...

    async def chat(self) -> list[views.ChatMessage]: ...

    async def history(self) -> list[Message]: ...

    async def steps(self) -> list[views.Exchange]: ...


class AnyStudio(Protocol):
    async def start(
        self,
        *,
        model: str = "",
        agent: str = "",
        folder: Path | str = ".",
        title: str = "",
        mode: Mode | Literal[""] = "",
    ) -> AnySession:
        """Begin a session."""
        ...

    async def resume(self, session_id: str) -> AnySession:
        """Go on with a session."""
        ...

    async def sessions(self, limit: int = 50) -> list[SessionRow]:
        """The newest first."""
        ...
