"""The seam between a conversation and what carries it: a program's pipes, or HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from bottega.fairness import BYTES_A_FIELD, FOREIGN_JSON, beside
from bottega.messages.json_size import MOST_MESSAGE, Crowded, counted
from bottega.workspaces.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]

LARGEST = 16 * 1024 * 1024
"""Bytes of one message of a server."""
LARGEST_UNASKED = 1024 * 1024
"""Bytes of one that answers nothing: a request, or a notification."""

EACH = 250
"""Fields that a message costs at least, so that a person's servers say a thousand things a second together."""


class OpenSandbox(Protocol):
    """Opens a sandbox for one server on the session's folder, as that is then.

    In it `visible` can be read besides what every sandbox shows, and of all projects none but the session's folder is
    seen, and that only where `folder` is true.
    """

    def __call__(
        self, *, network: bool, visible: tuple[str, ...], folder: bool
    ) -> Awaitable[Sandbox]: ...


LookUp = Callable[[str, str], str | None]
"""A kept secret by its name, for that destination; None: there is none. Raises where it is kept for another."""


class Patience(msgspec.Struct, frozen=True):
    """How long things may take, in seconds, and how much may be said."""

    start: float = 30.0
    """Until a server has greeted and said what it offers."""
    backoff: float = 1.0
    """The first wait after a start that failed; each further one doubles it."""
    most: float = 300.0
    """The longest of these waits."""
    idle: float = 600.0
    """Unused for so long, a server is ended; it starts again when it is needed."""
    grace: float = 1.0
    """From closing a program's input to its end."""
    ping: float = 5.0
    """For a sign of life from a server that has let a call run out of time."""
    largest: int = LARGEST


class Surroundings(msgspec.Struct, frozen=True):
    """Where servers run, and what they are given."""

    folder: str
    """The path of the session's, as servers are told it; `open_sandbox` opens it."""
    open_sandbox: OpenSandbox
    look_up: LookUp
    path: str
    """Where programs are looked for."""
    ca_file: str = ""
    """Certificates to trust besides the system's."""
    patience: Patience = Patience()
    to_owner: bool = True
    """Whether whoever uses it set it up, and is told why it does not start."""


class Channel(Protocol):
    """Carries messages from entering to leaving; used once, by one task."""

    ended: asyncio.Event
    """The other side is gone, or must go."""
    roots: tuple[str, ...]
    """Folders that the other side may be told of."""

    def tidy(self, text: str, longest: int | None = None) -> str:
        """What the other side said, without its secrets; all of it takes a while where it is long."""
        ...

    def detail(self) -> str:
        """What is known of why it ended or refused, in sentences; most of it after leaving."""
        ...

    async def __aenter__(self) -> "Streams": ...

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None: ...


Changed = Callable[[], None]
Show = Callable[[str], None]
"""Shows a word of progress."""


async def reason_to_refuse(message: bytes) -> str:
    """Why a message of a server is not to be decoded, as the end of a sentence; empty: it may be, by now.

    The SDK decodes on the event loop, and a few bytes may be a million values.
    """
    try:
        members = await beside(len(message), counted, message, MOST_MESSAGE)
    except Crowded as crowded:
        return str(crowded)
    if len(message) > LARGEST_UNASKED and await asyncio.to_thread(_is_unasked, message):
        return f"of more than {LARGEST_UNASKED:,} bytes that nobody asked for"
    await FOREIGN_JSON.take(max(members, EACH, len(message) // BYTES_A_FIELD))
    return ""


class _Head(msgspec.Struct):
    method: Any = None


def _is_unasked(message: bytes) -> bool:
    """Whether it is a request or a notification."""
    try:
        return msgspec.json.decode(message, type=_Head).method is not None
    except ValueError:
        pass
    try:
        found = json.loads(message)  # some write NaN, which others read
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "method" in found
