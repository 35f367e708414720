"""The recorded provider streams: real answers, byte for byte, with what the vendors' own SDKs make of them.

They lie outside the project, in the folder that `BOTTEGA_RECORDINGS` names.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.messages.block import Reasoning, Text, ToolUse, plain_text, tool_uses
from bottega.providers.http.sse import Splitter
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    ReasoningPiece,
    Request,
    Started,
    StreamEvent,
    TextPiece,
)
from bottega.providers.wires import wire

KINDS = ("openai-chat", "openai-responses", "anthropic", "gemini")


class Recording(msgspec.Struct):
    kind: str
    path: str
    status: int
    body: str
    expected: dict[str, Any]
    request: Any = None
    name: str = ""

    @property
    def wire_request(self) -> Request:
        asked = self.request if isinstance(self.request, dict) else {}
        return Request(model=str(asked.get("model", "")), messages=())


def load() -> list[Recording]:
    folder = os.environ.get("BOTTEGA_RECORDINGS", "")
    if not folder:
        return []
    found: list[Recording] = []
    for path in sorted(Path(folder).glob("*/*.json")):
        recording = msgspec.json.decode(path.read_bytes(), type=Recording)
        recording.name = f"{path.parent.name}/{path.stem}"
        found.append(recording)
    return found


RECORDINGS = load()

needs_recordings = pytest.mark.skipif(
    not RECORDINGS, reason="BOTTEGA_RECORDINGS names no folder of recorded provider streams"
)


def every_recording(*kinds: str) -> pytest.MarkDecorator:
    """Parametrise a test over the recordings of these wire protocols (all, if none is named)."""
    chosen = [r for r in RECORDINGS if not kinds or r.kind in kinds]
    return pytest.mark.parametrize("recording", chosen, ids=lambda r: r.name)


def pieces(body: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(body), size or max(len(body), 1)):
        yield body[start : start + (size or len(body))]


def play(
    kind: str, body: bytes, size: int = 0, request: Request | None = None
) -> list[StreamEvent]:
    """What an adapter makes of a body that arrives in pieces of `size` bytes (0: whole)."""
    decoder = wire(kind).decoder(request or Request(model="m", messages=()))  # type: ignore[arg-type]
    splitter = Splitter()
    events: list[StreamEvent] = []
    for piece in pieces(body, size):
        for name, data in splitter.feed(piece):
            events += decoder.step(name, data)
    for name, data in splitter.end():
        events += decoder.step(name, data)
    events += decoder.end()
    return events


def check_shape(events: list[StreamEvent]) -> Finished | Failed:
    """One start at most and first, exactly one terminal event and last; return it."""
    assert sum(isinstance(e, Started) for e in events) <= 1
    if any(isinstance(e, TextPiece | ReasoningPiece | CallPiece) for e in events):
        assert isinstance(events[0], Started)
    ends = [e for e in events if isinstance(e, Finished | Failed)]
    assert len(ends) == 1
    assert ends[0] is events[-1]
    return ends[0]


def added_up(events: list[StreamEvent]) -> dict[str, Any]:
    """The streamed pieces, added up, in the shape of a recording's `expected`; raises if they differ from the end."""
    end = check_shape(events)
    if isinstance(end, Failed):
        return {"error": end.message}
    text = "".join(e.text for e in events if isinstance(e, TextPiece))
    reasoning = "".join(e.text for e in events if isinstance(e, ReasoningPiece))
    assert text == plain_text(end.content), "the pieces and the whole answer say different texts"
    assert reasoning == "".join(b.text for b in end.content if isinstance(b, Reasoning))
    calls = streamed_calls(events)
    mine = {use.id for use in tool_uses(end.content)}
    return {
        "text": text,
        "reasoning": reasoning,
        "tool_calls": [call for call in calls if call["id"] in mine],
        "stop": end.provider_stop,
        "usage": end.usage,
        "end": end,
    }


def streamed_calls(events: list[StreamEvent]) -> list[dict[str, str]]:
    calls: dict[int, dict[str, str]] = {}
    for event in events:
        if not isinstance(event, CallPiece):
            continue
        if event.call not in calls:
            assert event.id, "the first piece of a call names it"
            assert event.name, "the first piece of a call names it"
            calls[event.call] = {"id": event.id, "name": event.name, "args": ""}
        else:
            assert (event.id, event.name) == ("", ""), "a call is named once"
        calls[event.call]["args"] += event.partial_json
    assert list(calls) == list(range(len(calls))), "calls are counted from 0 without gaps"
    return list(calls.values())


def blocks_are_valid(end: Finished) -> None:
    """A finished answer holds no empty text and no call without a name."""
    for block in end.content:
        if isinstance(block, Text):
            assert block.text
        if isinstance(block, ToolUse):
            assert "" not in (block.id, block.name)
