"""What a running tool may touch of the world: its folder, its own call, the people and parts around it.

`workers/` implements it on a session; a test implements as much of it as its tool uses.
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

from bottega.approvals.touch import Touch
from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.sandbox import Sandbox
from bottega.workspaces.shells.shells import Shells


class Question(msgspec.Struct, frozen=True):
    """What a person is asked; with choices, an answer in words of their own is still taken."""

    text: str
    choices: tuple[str, ...] = ()


class Todo(msgspec.Struct, frozen=True):
    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"
    priority: Literal["high", "medium", "low"] = "medium"


class Remembered(msgspec.Struct, frozen=True):
    """An entry of the session's log."""

    index: int
    who: str
    """`user`, `agent`, or the tool that gave it."""
    when: str
    text: str


class Context(Protocol):
    @property
    def root(self) -> Root:
        """The folder that the tool works in; there is no other."""
        ...

    @property
    def session_id(self) -> str: ...

    @property
    def person(self) -> int:
        """The number of the person whose session it is: what is opened counts to them."""
        ...

    @property
    def call_id(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What this tool was configured with, for this agent."""
        ...

    @property
    def judged(self) -> Touch | None:
        """What this call was found to touch when it was judged; None: nobody looked."""
        ...

    def refused_redirect(self, url: str) -> str:
        """Why this call may not go on to another address that a server sends it to; empty: it may."""
        ...

    def is_denied(self, path: str) -> bool:
        """Whether that file is one that a rule denies, under this name or another; looks at the disk."""
        ...

    def emit_output(self, text: str) -> None:
        """Show a piece of output while the tool still runs; the result must not rely on it."""
        ...

    def saw(self, path: str, digest: str) -> None:
        """The model has now seen this content (its sha256) of a canonical path."""
        ...

    def seen(self, path: str) -> str:
        """The sha256 of what the model last saw of that path in this session; empty: nothing."""
        ...

    def recall(self, path: str) -> bytes | None:
        """What the log last held of a file that is gone; None: nothing."""
        ...

    async def search_log(self, query: str, most: int) -> list[Remembered]:
        """The newest entries of this session's log that hold every word of the query, each with what is around it."""
        ...

    async def read_log(self, index: int) -> Remembered | None:
        """One entry of this session's log, whole; None: nothing was said there."""
        ...

    async def sandbox(self, *, network: bool = False) -> Sandbox:
        """The run's own sandbox; it lives until the run ends."""
        ...

    @property
    def outputs(self) -> Outputs:
        """What commands of this session printed, and how to find what else was kept."""
        ...

    @property
    def shells(self) -> Shells:
        """The open shells of all sessions; a tool reaches those of its own folder."""
        ...

    async def ask(self, question: Question) -> str:
        """Ask the person, durably; returns what they said."""
        ...

    async def delegate(self) -> dict[str, Any]:
        """Have the client that declared this tool run it, and wait, durably, for its `result` or `is_error`."""
        ...

    async def spawn(self, agent: str, task: str) -> dict[str, Any]:
        """Hand a task to an agent in a session of its own; how it ended, and what it said."""
        ...

    async def todos(self) -> tuple[Todo, ...]: ...

    async def set_todos(self, todos: tuple[Todo, ...]) -> None: ...

    async def complete(self, instructions: str, text: str) -> str:
        """Have the session's model answer from a text, apart from the conversation."""
        ...
