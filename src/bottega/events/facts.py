"""The facts: what is stored because it cannot be recomputed. One struct a type, see `FACTS`."""

from typing import Any

import msgspec

from bottega.events.detail import sound
from bottega.messages.block import Audio, Block, Document, Image, Text
from bottega.messages.message import StopReason, Usage


class _Fact(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    pass


class FileChange(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One file before and after: blobs of the session, by which a change is compared, shown and undone."""

    path: str
    """Relative to the session's folder."""
    before: str = ""
    """The sha256 of the old bytes; empty: there was no file."""
    after: str = ""
    """The sha256 of the new bytes; empty: the file goes."""
    mode: int = 0
    """Permission bits of a file that went, to give them back with its bytes; 0: as usual."""


class FileSeen(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The model saw this content of a file."""

    path: str
    hash: str


class TodoItem(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    content: str
    status: str = "pending"
    priority: str = "medium"


class Instructions(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A file of the project that says how to work in it."""

    path: str
    text: str


class PromptQueued(_Fact, frozen=True):
    """A prompt was admitted; it waits for its turn."""

    content: tuple[Block, ...]
    model: str = ""
    """The model asked for with this prompt; empty: the session's."""
    agent: str = ""
    steer: bool = False
    """Meant for the exchange that runs, if one still does."""
    person: str = ""
    """The id of the person who said it to a server; empty: somebody at this machine."""


class PromptEdited(_Fact, frozen=True):
    content: tuple[Block, ...]


class PromptMoved(_Fact, frozen=True):
    """A prompt that still waits runs earlier or later than it would have."""

    order: tuple[str, ...]
    """The ids of all that wait, in the order in which they will run."""


class PromptCancelled(_Fact, frozen=True):
    """A prompt that still waited was taken back; it never ran."""


class UserMessage(_Fact, frozen=True):
    """The worker took the prompt up. Inside a running exchange this is a steer."""

    content: tuple[Block, ...]
    steer: bool = False
    prompt_id: str = ""
    """Of a steer: the id that its own prompt had."""


class Opening(_Fact, frozen=True):
    """What the system prompt is made with from here on, fixed so that it stays the same to the byte."""

    markers: dict[str, str] = {}
    instructions: tuple[Instructions, ...] = ()


class Aside(_Fact, frozen=True):
    """What the model is told around the user's words, or after results; never the user's own words."""

    before: str = ""
    after: str = ""
    told: dict[str, str] = {}
    """What is thereby known to the model, by name: it is not told again until it changes."""


class MessageStart(_Fact, frozen=True):
    """A request went out to this model."""

    model: str
    provider: str = ""


class TextDelta(_Fact, frozen=True):
    text: str


class ReasoningDelta(_Fact, frozen=True):
    text: str


class InputJsonDelta(_Fact, frozen=True):
    """A piece of a call's arguments. `id` and `name` are on the first piece of a call only."""

    block: int
    """Which call of the message, from 0."""
    partial_json: str = ""
    id: str = ""
    name: str = ""


class StreamReset(_Fact, frozen=True):
    """Everything streamed of this attempt is void; the message starts anew."""

    reason: str


class AssistantMessage(_Fact, frozen=True):
    """The whole answer of one step; it replaces what was streamed of it."""

    content: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage = Usage()
    model: str = ""
    cost: int | None = None
    """Micro-USD; None: the price is unknown."""
    provider_stop: str = ""
    """The provider's own word for why it stopped."""
    notices: tuple[str, ...] = ()
    """What was asked for and ignored by this model, one sentence each."""
    asked: str = ""
    """The model that was asked, as the user names it; `model` is who answered, as the provider names it."""


class ToolIntent(_Fact, frozen=True):
    """This call is about to run: durable before anything happens."""

    tool_id: str
    name: str
    hash: str
    """sha256 of tool, arguments and call id; the arguments stand in the assistant message."""
    effects: tuple[str, ...] = ()
    writes: tuple[FileChange, ...] = ()
    """What is about to be written: its blobs are durable, so that a crash can be told from a success."""
    input: dict[str, Any] | None = None
    """The arguments that really run, if a person changed them."""
    approval_id: str = ""
    """The ask that allowed it; empty: none was needed."""


class ToolOutputDelta(_Fact, frozen=True):
    tool_id: str
    text: str


class ToolResultFact(_Fact, frozen=True):
    tool_id: str
    name: str
    content: tuple[Text | Image | Audio | Document, ...]
    is_error: bool = False
    duration_ms: int = 0
    blob: str = ""
    """Where the whole output is kept when `content` is a part of it."""
    seen: tuple[FileSeen, ...] = ()
    writes: tuple[FileChange, ...] = ()
    """Files that a command was found to have changed."""
    usage: Usage = Usage()
    """Of model calls that the tool made by itself."""
    cost: int | None = 0
    """Micro-USD of those; None: a price is unknown."""


class ApprovalRequired(_Fact, frozen=True):
    approval_id: str
    kind: str
    tool_id: str = ""
    tool_name: str = ""
    hash: str = ""
    """Of everything that is decided on; an answer names it."""
    question: str = ""
    choices: tuple[str, ...] = ()
    detail: dict[str, Any] = {}
    """What has to be seen to decide, beside the call's arguments: reason, diff, folder, sandbox, network, pattern."""

    def __post_init__(self) -> None:
        if self.detail and (kept := sound(self.detail)) is not self.detail:
            msgspec.structs.force_setattr(self, "detail", kept)


class ApprovalResolved(_Fact, frozen=True):
    approval_id: str
    answer: str
    hash: str = ""
    note: str = ""
    """A word to the model, or the answer to a question."""
    input: dict[str, Any] | None = None
    """The arguments as the person changed them."""
    grant: str = ""
    """What is allowed from now on in this session: a tool's name, or `tool(pattern)`."""
    tool_id: str = ""
    person: str = ""
    """The id of the person who answered it at a server; empty: somebody at this machine, or nobody."""


class TodosChanged(_Fact, frozen=True):
    """The to-do list, whole, as it is from now on."""

    todos: tuple[TodoItem, ...]


class ModeChanged(_Fact, frozen=True):
    mode: str


class ModelChanged(_Fact, frozen=True):
    model: str


class AgentChanged(_Fact, frozen=True):
    agent: str


class SessionReset(_Fact, frozen=True):
    """The model sees nothing of what came before; the log keeps it."""


class SessionCleared(_Fact, frozen=True):
    """All that came before was deleted."""


class CancelRequested(_Fact, frozen=True):
    """Stop the running exchange (the envelope's `message_id`) now."""


class ConversationRetrying(_Fact, frozen=True):
    """The provider failed; the same request goes out again after a wait."""

    number: int
    """Which try comes next, from 2."""
    of: int
    delay_ms: int
    reason: str


class FileReady(_Fact, frozen=True):
    path: str
    size: int = 0


class Compaction(_Fact, frozen=True):
    """History up to `upto` is replaced by `summary` in what the model sees; the log keeps it."""

    upto: int
    """0: nothing is replaced, only `cut`."""
    summary: str = ""
    verbatim: bool = False
    """What the user said up to there stays, word for word, before the summary."""
    cut: tuple[int, ...] = ()
    """Results after `upto` of which the model sees only that they were there, by their index."""
    reason: str = ""
    """`full`, `asked` or `overflow`."""
    before: int = 0
    """Tokens of the request before."""
    after: int = 0
    dropped: dict[str, int] = {}
    """How many of what the model no longer sees: messages, results."""
    usage: Usage = Usage()
    """Of the model call that wrote the summary."""
    cost: int | None = 0


class CompactionUndone(_Fact, frozen=True):
    """The compaction at that index no longer counts."""

    compaction: int


class ChildStarted(_Fact, frozen=True):
    """A call handed its task to an agent in a session of its own."""

    tool_id: str
    session_id: str
    agent: str
    task: str


class RemoteStarted(_Fact, frozen=True):
    """Another Bottega answers this prompt: what follows of the exchange are its facts, as they are.

    What they tell of files and blobs is true there, and not here.
    """

    address: str
    session_id: str
    """The session at that address in which it is answered."""
    agent: str


class Interrupted(_Fact, frozen=True):
    """The process that ran this exchange died; another one goes on from the log."""

    reason: str


class ErrorMessage(_Fact, frozen=True):
    message: str
    code: str
    retryable: bool = False
    hint: str = ""


class ExchangeResponse(_Fact, frozen=True):
    """The one end of every exchange, in every path."""

    success: bool
    completion_reason: str
    stop_reason: StopReason
    iterations: int
    final_response: str = ""
    usage: Usage = Usage()
    cost: int | None = 0
    """Micro-USD; None: a price of it is unknown."""
    duration_ms: int = 0
    output: Any = None
    """What was asked for by a schema, as JSON knows it."""
    repairs: int = 0
    """How often the model had to mend that."""


FACTS: dict[str, type[msgspec.Struct]] = {
    "prompt_queued": PromptQueued,
    "prompt_edited": PromptEdited,
    "prompt_moved": PromptMoved,
    "prompt_cancelled": PromptCancelled,
    "user_message": UserMessage,
    "opening": Opening,
    "aside": Aside,
    "message_start": MessageStart,
    "text_delta": TextDelta,
    "reasoning_delta": ReasoningDelta,
    "input_json_delta": InputJsonDelta,
    "stream_reset": StreamReset,
    "assistant_message": AssistantMessage,
    "tool_intent": ToolIntent,
    "tool_output_delta": ToolOutputDelta,
    "tool_result": ToolResultFact,
    "approval_required": ApprovalRequired,
    "approval_resolved": ApprovalResolved,
    "todos_changed": TodosChanged,
    "mode_changed": ModeChanged,
    "model_changed": ModelChanged,
    "agent_changed": AgentChanged,
    "session_reset": SessionReset,
    "session_cleared": SessionCleared,
    "cancel_requested": CancelRequested,
    "conversation_retrying": ConversationRetrying,
    "file_ready": FileReady,
    "compaction": Compaction,
    "compaction_undone": CompactionUndone,
    "child_started": ChildStarted,
    "remote_started": RemoteStarted,
    "interrupted": Interrupted,
    "error_message": ErrorMessage,
    "exchange_response": ExchangeResponse,
}

NAMES: dict[type[Any], str] = {struct: name for name, struct in FACTS.items()}

DELTAS = frozenset({"text_delta", "reasoning_delta", "input_json_delta", "tool_output_delta"})
"""Pieces of what comes whole later: nobody waits for them, and old ones may be trimmed."""

GUESTS = frozenset(
    {
        "prompt_queued",
        "prompt_edited",
        "prompt_moved",
        "prompt_cancelled",
        "approval_resolved",
        "mode_changed",
        "model_changed",
        "agent_changed",
        "session_reset",
        "session_cleared",
        "compaction_undone",
        "cancel_requested",
    }
)
"""What may be appended without holding the session's lease."""
