"""The simplest wire protocol there can be, to test the transport with: one JSON object an event.

`{"text": …}` is a piece, `{"end": …}` the end, `{"error": {…}}` a failure with these fields.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from bottega.errors import Unsupported
from bottega.messages.block import Text
from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.http.transport import HttpProvider
from bottega.providers.provider import (
    Failed,
    Finished,
    Request,
    Reset,
    Started,
    StreamEvent,
    Target,
    TextPiece,
    WireRequest,
)

AGAIN = {408, 409, 429, 529}


class _Line(msgspec.Struct):
    start: str = ""
    text: str = ""
    end: str = ""
    error: Failed | None = None


class _Decoder:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._started = False
        self._ended = False

    def step(self, name: str, data: bytes) -> Sequence[StreamEvent]:
        if self._ended:
            return ()
        line = msgspec.json.decode(data, type=_Line)
        events: list[StreamEvent] = []
        if not self._started and not line.error:
            self._started = True
            events.append(Started(line.start or "plain-1"))
        if line.text:
            self._parts.append(line.text)
            events.append(TextPiece(line.text))
        if line.error is not None or line.end:
            self._ended = True
            text = Text("".join(self._parts))
            events.append(line.error or Finished((text,), "end_turn", provider_stop=line.end))
        return events

    def whole(self, body: bytes) -> Sequence[StreamEvent]:
        return self.step("", body)

    def end(self) -> Sequence[StreamEvent]:
        if self._ended:
            return ()
        self._ended = True
        return (Failed("The answer broke off.", "cut_off", retryable=True),)


class Plain:
    name = "plain"

    def to_wire(self, request: Request, target: Target) -> WireRequest:
        if request.system == "impossible":
            raise Unsupported("The model 'plain-1' takes no system prompt.", hint="Leave it out.")
        if request.system == "broken":
            raise RuntimeError("a mistake in the protocol")
        headers = {"Content-Type": "application/json", **target.headers}
        if target.key:
            headers["Authorization"] = f"Bearer {target.key}"
        notices = ("The temperature was left out.",) if request.temperature is not None else ()
        body = msgspec.json.encode({"model": request.model, "system": request.system})
        return WireRequest(f"{target.base_url}/say", headers, body, notices)

    def decoder(self, request: Request) -> _Decoder:
        return _Decoder()

    def explain(self, status: int, body: bytes, headers: dict[str, str]) -> Failed:
        asked = headers.get("retry-after")
        return Failed(
            f"status {status}: {body.decode('utf-8', 'replace')}",
            "overloaded" if status >= 500 else "bad_request",
            retryable=status in AGAIN or status >= 500,
            status=status,
            retry_after=None if asked is None else float(asked),
        )


PLAIN = Plain()


def line(**fields: object) -> bytes:
    """One event of the protocol."""
    return b"data: " + msgspec.json.encode(fields) + b"\n\n"


def answer(*texts: str) -> list[bytes]:
    return [*(line(text=text) for text in texts), line(end="done")]


REQUEST = Request("plain-1", ())


class Caller:
    """Asks a provider that speaks `Plain`, without ever really waiting between its tries."""

    def __init__(
        self,
        transport: Transport,
        url: str,
        *,
        key: str = "",
        headers: dict[str, str] | None = None,
        attempts: int = 10,
        timeouts: Timeouts | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        luck: float = 1.0,
    ) -> None:
        self.waits: list[float] = []
        self.provider = HttpProvider(
            PLAIN,
            Target("plain", url, key, headers or {}, attempts),
            transport,
            timeouts=timeouts,
            sleep=sleep or self._wait,
            random=lambda: luck,
        )

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def ask(self, **fields: object) -> list[StreamEvent]:
        """All events of one answer; checks that it has exactly one end, and that it is the last."""
        request = Request("plain-1", (), **fields)  # type: ignore[arg-type]
        async with asyncio.timeout(30):
            events = [event async for event in self.provider.stream(request)]
        assert [e for e in events if isinstance(e, Finished | Failed)] == events[-1:]
        return events

    async def fail(self) -> Failed:
        end = (await self.ask())[-1]
        assert isinstance(end, Failed), end
        return end


def text_of(events: Sequence[StreamEvent]) -> str:
    """What was said and not declared void."""
    said: list[str] = []
    for event in events:
        if isinstance(event, Reset):
            said.clear()
        elif isinstance(event, TextPiece):
            said.append(event.text)
    return "".join(said)
