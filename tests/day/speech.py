"""What a model says, in the words of the four protocols: each answer as the events that its server would stream."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from bottega.providers.wires import WireName
from tests.providers import made_up_responses as responses
from tests.providers.made_up import chat as chunk
from tests.providers.made_up import piece, sse

Event = dict[str, Any]

SEAL = "c2VhbA=="
WIDTH = 24
"""Characters of a piece of text."""


class Called(msgspec.Struct, frozen=True):
    id: str
    name: str
    arguments: str
    """As it is written: not always JSON."""


class Said(msgspec.Struct, frozen=True):
    """One answer, whatever the protocol."""

    text: str = ""
    thought: str = ""
    calls: tuple[Called, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0


def spoken(wire: WireName, said: Said) -> list[bytes]:
    """The answer as the pieces in which it is streamed."""
    events = _WAYS[wire](said)
    named = wire == "anthropic"
    pieces = [sse(event, named=named) for event in events]
    return [*pieces, sse("[DONE]")] if wire == "openai-chat" else pieces


def too_long(wire: WireName) -> tuple[int, bytes]:
    """How the protocol's server says that a request is longer than its model takes."""
    said = "prompt is too long: 9001 tokens > 9000 maximum"
    error: Event = {"type": "invalid_request_error", "message": said}
    if wire.startswith("openai"):
        error |= {"code": "context_length_exceeded", "param": "messages"}
    if wire == "gemini":
        said = "The input token count (9001) exceeds the maximum number of tokens allowed (9000)."
        error = {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}
    body = {"type": "error", "error": error} if wire == "anthropic" else {"error": error}
    return 400, json.dumps(body).encode()


def _cut(text: str) -> list[str]:
    return [text[at : at + WIDTH] for at in range(0, len(text), WIDTH)]


def _anthropic(said: Said) -> Iterator[Event]:
    usage = {"input_tokens": said.input_tokens, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    yield {"type": "message_start", "message": {**message, "content": [], "usage": usage}}
    blocks: list[tuple[Event, list[Event]]] = []
    if said.thought:
        thought = {"type": "thinking", "thinking": "", "signature": ""}
        pieces = [{"type": "thinking_delta", "thinking": each} for each in _cut(said.thought)]
        blocks.append((thought, [*pieces, {"type": "signature_delta", "signature": SEAL}]))
    if said.text:
        pieces = [{"type": "text_delta", "text": each} for each in _cut(said.text)]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for call in said.calls:
        pieces = [{"type": "input_json_delta", "partial_json": p} for p in _cut(call.arguments)]
        blocks.append(({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, pieces))
    for number, (opened, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": number, "content_block": opened}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": number, "delta": delta}
        yield {"type": "content_block_stop", "index": number}
    stop = {"stop_reason": "tool_use" if said.calls else "end_turn", "stop_sequence": None}
    spent = {"output_tokens": said.output_tokens}
    yield {"type": "message_delta", "delta": stop, "usage": spent}
    yield {"type": "message_stop"}


def _chat(said: Said) -> Iterator[Event]:
    yield chunk({"role": "assistant", "content": ""})
    for text in _cut(said.thought):
        yield chunk({"reasoning_content": text})
    for text in _cut(said.text):
        yield chunk({"content": text})
    for number, call in enumerate(said.calls):
        opened = piece("", call.name, index=number, id=call.id)
        yield chunk({"tool_calls": [opened]})
        for text in _cut(call.arguments):
            entry = {"index": number, "function": {"arguments": text}}
            yield chunk({"tool_calls": [entry]})
    yield chunk({}, "tool_calls" if said.calls else "stop")
    counts = {"prompt_tokens": said.input_tokens, "completion_tokens": said.output_tokens}
    usage = {**counts, "total_tokens": sum(counts.values())}
    yield {**chunk({}), "choices": [], "usage": usage}


def _responses(said: Said) -> Iterator[Event]:
    yield responses.created()
    items: list[Event] = []
    if said.thought:
        thought = responses.thought(said.thought, id="rs_1", encrypted_content=SEAL)
        yield responses.added(0, {**thought, "summary": []})
        for text in _cut(said.thought):
            yield responses.delta("reasoning_summary_text", text, 0, "rs_1")
        yield responses.done(0, thought)
        items.append(thought)
    if said.text:
        message, place = responses.message(said.text, "msg_1"), len(items)
        yield responses.added(place, {**message, "content": []})
        for text in _cut(said.text):
            yield responses.delta("output_text", text, place, "msg_1")
        yield responses.done(place, message)
        items.append(message)
    for call in said.calls:
        item = responses.call(call.arguments, call.name, call.id, f"fc_{call.id}")
        place = len(items)
        yield responses.added(place, {**item, "arguments": ""})
        for text in _cut(call.arguments):
            yield responses.delta("function_call_arguments", text, place, item["id"])
        yield responses.done(place, item)
        items.append(item)
    counts = {"input_tokens": said.input_tokens, "output_tokens": said.output_tokens}
    yield responses.ended(*items, usage={**counts, "total_tokens": sum(counts.values())})


def _gemini(said: Said) -> Iterator[Event]:
    parts: list[Event] = [{"text": text, "thought": True} for text in _cut(said.thought)]
    parts += [{"text": text} for text in _cut(said.text)]
    for number, call in enumerate(said.calls):
        seal = {} if number else {"thoughtSignature": SEAL}
        made = {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}
        parts.append({"functionCall": made, **seal})
    for part in parts:
        content = {"role": "model", "parts": [part]}
        yield {"candidates": [{"content": content, "index": 0}], "modelVersion": "gemini"}
    counts = {
        "promptTokenCount": said.input_tokens,
        "candidatesTokenCount": said.output_tokens,
        "totalTokenCount": said.input_tokens + said.output_tokens,
    }
    last = {"content": {"role": "model", "parts": []}, "finishReason": "STOP", "index": 0}
    yield {"candidates": [last], "usageMetadata": counts, "modelVersion": "gemini"}


_WAYS: dict[WireName, Callable[[Said], Iterator[Event]]] = {
    "anthropic": _anthropic,
    "openai-chat": _chat,
    "openai-responses": _responses,
    "gemini": _gemini,
}
