"""The seam between the loop and whoever answers: a request goes out, stream events come back.

A wire protocol (`openai_chat`, `anthropic` …) is a pure state machine: `to_wire` makes the request's body, a `Decoder`
turns the answer's events into ours. It opens no socket, knows no clock and never retries; `transport` does.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Annotated, Any, Literal, Protocol

import msgspec

from bottega.messages.block import Block
from bottega.messages.message import Message, StopReason, Usage

Effort = Literal["none", "minimal", "low", "medium", "high", "max"]


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as a model sees it; `schema` is a JSON schema of type object (A17)."""

    name: str
    description: str
    schema: dict[str, Any]


class Abilities(msgspec.Struct, frozen=True):
    """What a model takes and does; what it lacks is refused with a clear word, never dropped."""

    images: bool = True
    audio: bool = True
    documents: bool = True
    tools: bool = True
    reasoning: bool = True
    temperature: bool = True
    json: bool = True
    """It can be held to a JSON schema; one that cannot is only asked in words."""


class Wishes(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a model should answer, as far as it can be told; None: as it likes."""

    effort: Effort | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0)] | None = None
    max_output: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def over(self, others: "Wishes") -> "Wishes":
        """These wishes, and where there is none the others'."""
        return Wishes(
            others.effort if self.effort is None else self.effort,
            others.temperature if self.temperature is None else self.temperature,
            others.max_output if self.max_output is None else self.max_output,
        )


class Request(msgspec.Struct, frozen=True):
    model: str
    """The model's name at the provider, without our prefix."""
    messages: tuple[Message, ...]
    """Already valid for this provider (see `messages.repair`)."""
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None
    max_output: int | None = None
    effort: Effort | None = None
    stream: bool = True
    abilities: Abilities = Abilities()
    schema: dict[str, Any] | None = None
    """The JSON schema that the answer must fit; None: plain text. Whoever asks says it in words too, and checks the
    answer: not every model can be held to every schema."""
    cache_key: str = ""
    """The same for requests that share a beginning: the session's id. Helps a provider to find what it has cached."""


# What a provider's stream says, in this order: one `Started`, any pieces, then exactly one `Finished` or `Failed`.


class Started(msgspec.Struct, frozen=True):
    model: str = ""
    """The model that really answers, as the provider names it."""


class TextPiece(msgspec.Struct, frozen=True, gc=False):
    text: str


class ReasoningPiece(msgspec.Struct, frozen=True, gc=False):
    text: str


class CallPiece(msgspec.Struct, frozen=True, gc=False):
    """A piece of a call's arguments; `id` and `name` on its first piece only, which may have no arguments yet."""

    call: int
    """Which call of this message, from 0; calls that the provider ran itself are counted too."""
    partial_json: str = ""
    id: str = ""
    name: str = ""


class Finished(msgspec.Struct, frozen=True):
    """The whole answer: it says everything again, and what could not be streamed (signatures, sources)."""

    content: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage = Usage()
    model: str = ""
    provider_stop: str = ""
    """The provider's own word for why it stopped."""
    cost: int | None = None
    """Micro-USD as stated by the provider itself; None where it states none."""
    notices: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True):
    """The stream ended without an answer."""

    message: str
    """One sentence for a person, without secrets."""
    code: str
    """`rate_limited`, `overloaded`, `bad_key`, `unknown_model`, `bad_request`, `context_overflow`, `unreachable`,
    `timeout`, `cut_off`, `not_sse`, `server_error`, `no_credit`, `content_filter`, `no_tools`, `provider_error`."""
    retryable: bool = False
    status: int = 0
    retry_after: float | None = None
    """Seconds that the provider asks us to wait."""
    hint: str = ""
    no_response: bool = False
    """The connection broke before a single byte of a response came, as in an outage."""

    @property
    def unanswered(self) -> bool:
        """The request was sent, and nobody knows what became of it: it may have to be paid."""
        return not self.status and not self.no_response and self.code in ("timeout", "cut_off")


class Retrying(msgspec.Struct, frozen=True):
    """The transport waits and tries again; nothing of the answer had been seen."""

    number: int
    of: int
    delay: float
    reason: str
    unanswered: bool = False
    """As of the failure: see `Failed`."""


class Reset(msgspec.Struct, frozen=True):
    """The answer broke off after its first piece and starts anew: what was streamed is void."""

    reason: str


Piece = Started | TextPiece | ReasoningPiece | CallPiece
StreamEvent = Piece | Finished | Failed | Retrying | Reset


class Provider(Protocol):
    name: str

    def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """Yield `Started` … then exactly one `Finished` or `Failed`.

        Never raises once iteration has begun, but for cancellation: failures are events.
        """
        ...


class Target(msgspec.Struct, frozen=True):
    """Where requests of one provider go, and with what."""

    name: str
    """Our prefix: `openai`, `ollama`, or one that the user defined."""
    base_url: str
    key: str = ""
    headers: dict[str, str] = {}
    max_attempts: int = 10

    def __repr__(self) -> str:
        place = self.base_url.rpartition("@")[2]
        return f"Target(name={self.name!r}, base_url={place!r})"


class WireRequest(msgspec.Struct, frozen=True):
    url: str
    headers: dict[str, str]
    body: bytes
    notices: tuple[str, ...] = ()
    """What was asked for and cannot be said to this model, one sentence each."""

    def __repr__(self) -> str:
        return f"WireRequest(url={self.url.rpartition('@')[2]!r})"


class Decoder(Protocol):
    """Turns one answer into stream events. Holds the answer so far; used once."""

    def step(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        """Take one server-sent event (`event:` and joined `data:`); return what it means. After the terminal
        event it returns nothing, whatever comes."""
        ...

    def whole(self, body: bytes) -> Sequence[StreamEvent]:
        """Take a non-streaming answer (or an error body with status 200): the same events, all at once."""
        ...

    def end(self) -> Sequence[StreamEvent]:
        """The body ended: the terminal event, unless it was there already."""
        ...


class Wire(Protocol):
    """One wire protocol, as a module or an object: two functions and a name."""

    @property
    def name(self) -> str: ...

    def to_wire(self, request: Request, target: Target) -> WireRequest:
        """The HTTP request. Raises `errors.Unsupported` where the model lacks what a message needs."""
        ...

    def decoder(self, request: Request) -> Decoder: ...

    def explain(self, status: int, body: bytes, headers: "dict[str, str]") -> Failed:
        """What an HTTP error of this provider means; `headers` have lower-case names."""
        ...
