"""Whatever arrives, an adapter ends once, raises nothing, and says nothing that cannot be stored.

Recorded and made-up answers are damaged in the ways that networks, proxies and mistakes damage them.
`BOTTEGA_HUNT=long` tries many more.
"""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bottega.messages.block import tool_uses
from bottega.providers.provider import CallPiece, Finished, Request
from bottega.providers.wires import wire
from tests.hunt import LONG
from tests.providers.made_up import chat, sse
from tests.providers.recordings import KINDS, RECORDINGS, blocks_are_valid, check_shape, play

EXAMPLES = 20_000 if LONG else 300
LONGEST = 60_000 if LONG else 12_000


CALL_ITEM = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look"}
SAID = {"type": "output_text", "text": "Hi 😀", "annotations": [{"url": "http://x", "title": "X"}]}
MESSAGE_ITEM = {"type": "message", "id": "msg_1", "role": "assistant", "content": [SAID]}

MADE_UP: dict[str, list[bytes]] = {
    "openai-chat": [
        sse(
            chat({"role": "assistant", "content": "", "reasoning_content": "Hm"}),
            chat({"content": "Hi 😀"}),
            chat({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "look"}}]}),
            chat({"tool_calls": [{"index": 0, "function": {"arguments": '{"x": [1'}}]}),
            chat({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "see"}}]}),
            chat({"tool_calls": [{"index": 0, "function": {"arguments": ", 2]}"}}]}),
            chat({}, "tool_calls", usage={"prompt_tokens": 3, "completion_tokens": 4, "cost": 0.1}),
            "[DONE]",
        ),
        sse(
            chat({"reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0}]}),
            chat({"executed_tools": [{"index": 0, "type": "search", "arguments": "{}"}]}),
            chat({"refusal": "No.", "annotations": [{"url_citation": {"url": "http://x"}}]}),
            chat({}, "stop"),
        ),
    ],
    "openai-responses": [
        sse(
            {"type": "response.created", "response": {"model": "m", "status": "in_progress"}},
            {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE_ITEM},
            {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"},
            {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE_ITEM},
            {"type": "response.output_item.added", "output_index": 1, "item": CALL_ITEM},
            {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"x"'},
            {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": ":1}"},
            {
                "type": "response.completed",
                "response": {
                    "status": "completed",
                    "output": [MESSAGE_ITEM, {**CALL_ITEM, "arguments": '{"x":1}'}],
                    "usage": {"input_tokens": 3, "output_tokens": 4},
                },
            },
            named=True,
        )
    ],
    "anthropic": [
        sse(
            {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "Hi 😀"},
            },
            {"type": "content_block_stop", "index": 0},
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "tool_use", "id": "a", "name": "look", "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": '{"x": 1}'},
            },
            {"type": "content_block_stop", "index": 1},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "tool_use"},
                "usage": {"output_tokens": 4},
            },
            {"type": "message_stop"},
            named=True,
        )
    ],
    "gemini": [
        sse(
            {
                "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi 😀"}]}}],
                "modelVersion": "m",
            },
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [{"functionCall": {"name": "look", "args": {"x": 1}}}]
                        },
                        "finishReason": "STOP",
                    }
                ],
                "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4},
            },
        )
    ],
}

BOTTOMLESS: Any = []
for _ in range(150):
    BOTTOMLESS = [{"message": BOTTOMLESS}]

ODD_VALUES: list[Any] = [
    *(None, True, -1, 0, 2**63, 10**400, 1.5, 1e308, "", "x", "\ud83d", "\ude00", "\x00", "{"),
    *([], [None], [[]], {}, {"a": {"b": []}}, {"text": 5}, {"error": "no"}, [{"type": "text"}]),
    *(BOTTOMLESS, BOTTOMLESS[0], {"error": BOTTOMLESS}),
]


def bodies(kind: str) -> list[bytes]:
    recorded = {r.body for r in RECORDINGS if r.kind == kind and len(r.body) <= LONGEST}
    return MADE_UP[kind] + [body.encode() for body in sorted(recorded)]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in a JSON document."""
    found = [path] if path else []
    inside: Any = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for key, entry in inside:
        found += paths(entry, (*path, key))
    return found


def flip(draw: st.DrawFn, body: bytes) -> bytes:
    place = draw(st.integers(0, len(body) - 1))
    return body[:place] + bytes([draw(st.integers(0, 255))]) + body[place + 1 :]


def cut_out(draw: st.DrawFn, body: bytes) -> bytes:
    start = draw(st.integers(0, len(body) - 1))
    return body[:start] + body[start + draw(st.integers(1, 40)) :]


def put_in(draw: st.DrawFn, body: bytes) -> bytes:
    start = draw(st.integers(0, len(body)))
    odd = draw(
        st.sampled_from([b"\x00", b"\xff", b"\xf0\x9f", b"\n", b"\r", b"\xef\xbb\xbf", b"{"])
    )
    return body[:start] + odd + body[start:]


def lines_moved(draw: st.DrawFn, body: bytes) -> bytes:
    lines = body.split(b"\n")
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    match draw(st.sampled_from(["drop", "repeat", "swap"])):
        case "drop":
            del lines[one]
        case "repeat":
            lines.insert(one, lines[one])
        case _:
            lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def other_line_ends(draw: st.DrawFn, body: bytes) -> bytes:
    return body.replace(b"\n", draw(st.sampled_from([b"\r\n", b"\r", b"\n\n", b"\n\r\n"])))


def truncated(draw: st.DrawFn, body: bytes) -> bytes:
    return body[: draw(st.integers(0, len(body)))]


def other_values(draw: st.DrawFn, body: bytes) -> bytes:
    """Put a value of another type, or an absurd one, somewhere into one event."""
    lines = body.split(b"\n")
    places = [i for i, line in enumerate(lines) if line.startswith(b"data: {")]
    if not places:
        return body
    place = draw(st.sampled_from(places))
    try:
        event = json.loads(lines[place][6:])
        ways = paths(event)
    except (ValueError, RecursionError):
        return body
    if ways:
        *way, last = draw(st.sampled_from(ways))
        inner = event
        for key in way:
            inner = inner[key]
        inner[last] = draw(st.sampled_from(ODD_VALUES))
    lines[place] = b"data: " + json.dumps(event).encode()
    return b"\n".join(lines)


DAMAGES = [
    flip,
    cut_out,
    put_in,
    lines_moved,
    other_line_ends,
    truncated,
    other_values,
    other_values,
]


@st.composite
def damaged(draw: st.DrawFn, kind: str) -> bytes:
    body = draw(st.sampled_from(bodies(kind)))
    for _ in range(draw(st.integers(1, 4))):
        if body:
            body = draw(st.sampled_from(DAMAGES))(draw, body)
    return body


def check(events: list[Any]) -> None:
    end = check_shape(events)
    for event in events:
        msgspec.json.encode(event)
    numbers = [event.call for event in events if isinstance(event, CallPiece)]
    assert sorted(set(numbers)) == list(range(len(set(numbers))))
    if isinstance(end, Finished):
        blocks_are_valid(end)
        ids = [use.id for use in tool_uses(end.content)]
        assert len(set(ids)) == len(ids)
        assert min(end.usage.input_tokens, end.usage.output_tokens) >= 0
        assert max(end.usage.input_tokens, end.usage.output_tokens, end.cost or 0) < 2**53
    else:
        assert end.message
        assert end.code


@pytest.mark.fuzz
@pytest.mark.requirement("A24")
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_stream_ends_once_and_raises_nothing(kind: str) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    @given(damaged(kind), st.sampled_from([0, 1, 7, 512]))
    def hunt(body: bytes, size: int) -> None:
        check(play(kind, body, size))

    hunt()


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_whole_body_ends_once_and_raises_nothing(kind: str) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(damaged(kind))
    def hunt(body: bytes) -> None:
        for part in body.split(b"data: ")[-2:]:
            decoder = wire(kind).decoder(Request(model="m", messages=()))  # type: ignore[arg-type]
            check([*decoder.whole(part), *decoder.end()])

    hunt()


@pytest.mark.parametrize("kind", KINDS)
def test_the_made_up_answers_are_whole_answers(kind: str) -> None:
    for body in MADE_UP[kind]:
        events = play(kind, body)
        check(events)
        assert isinstance(events[-1], Finished)
        assert any(getattr(event, "text", "") for event in events)
