"""Severity: high (H5). A provider cuts its answer into very many parts, or says one event of tens of megabytes: to read
it takes as long as it is, however it is cut, and others have their turn meanwhile.
"""

import asyncio
import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from bottega.agents.reading.shown import Shown
from bottega.agents.reading.sieve import Wanted
from bottega.events import facts, fold
from bottega.events.event import Event as Fact
from bottega.fairness import Pace
from bottega.messages.block import ToolUse
from bottega.providers.gemini.arguments import Leaves
from bottega.providers.http import attempt
from bottega.providers.http.connect import Transport
from bottega.providers.openai.chat_extras import Details
from bottega.providers.protocol import tally
from bottega.providers.protocol.tally import BLOCK, Tally, TooManyParts
from bottega.providers.provider import Decoder, Failed, Finished, Request
from bottega.providers.wires import WireName, wire
from tests.attacks.turns import longest_wait_beside
from tests.providers import loopback
from tests.providers.conftest import transport
from tests.providers.loopback import JSON, Reply
from tests.providers.test_wires_over_http import ask, chunk

__all__ = ["transport"]

QUICK = 1.5
"""Seconds of this process for all of one answer; each of these took several, or minutes, where it was copied anew."""
LONG = "a" * 6_000_000

Event = dict[str, Any]


def _chat(**delta: Any) -> Event:
    return {"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta}]}


def _called(text: str) -> Event:
    return {"index": 0, "function": {"name": "f", "arguments": text}}


def _block(index: int, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _added(number: int, **item: Any) -> Event:
    return {"type": "response.output_item.added", "output_index": number, "item": item}


def _completed(*output: Event) -> Event:
    return {"type": "response.completed", "response": {"status": "completed", "output": output}}


def _leaf(text: str) -> Event:
    return {"jsonPath": "$.a", "stringValue": text}


def _leaves(*leaves: Event) -> Event:
    call = {"name": "f", "willContinue": True, "partialArgs": leaves}
    return {"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}


def _grounded(kind: str) -> Event:
    found = [{"web": {"uri": f"{kind}{number}"}} for number in range(9_800)]
    return {"candidates": [{"groundingMetadata": {"groundingChunks": found}}]}


def _nested(levels: int, text: str) -> Any:
    found: Any = text
    for _ in range(levels):
        found = {"title": "x", "content": found}
    return found


ANSWERS: dict[str, tuple[WireName, list[Event]]] = {
    "texts": (
        "anthropic",
        [
            *(_block(number, type="text", text=LONG[:1_000_000]) for number in range(7)),
            *(_block(number, type="text", text="b") for number in range(7, 19_800)),
            {"type": "message_stop"},
        ],
    ),
    "calls that do not end": (
        "anthropic",
        [_block(number, type="tool_use", id=str(number), name="f") for number in range(19_800)],
    ),
    "a result of levels": (
        "anthropic",
        [
            _block(number, type="web_search_tool_result", content=_nested(190, LONG))
            for number in range(40)
        ],
    ),
    "a call's name again and again": (
        "openai-chat",
        [
            _chat(tool_calls=[_called('{"a":"' + LONG)]),
            _chat(tool_calls=[_called("b") for _ in range(2_000)]),
        ],
    ),
    "a call that seems to be whole": (
        "openai-chat",
        [
            _chat(tool_calls=[_called('{"a":"' + LONG + '",}')]),
            _chat(tool_calls=[_called(" ") for _ in range(2_000)]),
        ],
    ),
    "sealed thoughts": (
        "openai-chat",
        [_chat(reasoning_details=[{"data": str(number)} for number in range(19_800)])],
    ),
    "pieces of a sealed thought": (
        "openai-chat",
        [_chat(reasoning_details=[{"text": LONG}, *[{"text": "b"}] * 116_000])],
    ),
    "tools that were run": (
        "openai-chat",
        [_chat(executed_tools=[{"index": 0, f"x{number}": 1}]) for number in range(19_800)],
    ),
    "outputs": (
        "openai-responses",
        [_completed(*[{"type": "reasoning"}] * 9_800, *[{"type": "x_output"}] * 9_800)],
    ),
    "items": (
        "openai-responses",
        [
            *(_added(number, type="reasoning", id=str(number)) for number in range(19_800)),
            _completed(*[{"type": "message"}] * 19_800),
        ],
    ),
    "items of one kind": (
        "openai-responses",
        [
            *(_added(number, type="reasoning", id=str(number)) for number in range(19_800)),
            _completed(*[{"type": "reasoning"}] * 19_800),
        ],
    ),
    "items that were not told of": (
        "openai-responses",
        [
            *(_added(number, type="message", id=str(number)) for number in range(9_800)),
            *(
                {"type": "response.output_text.delta", "item_id": f"x{number}", "delta": "a"}
                for number in range(9_800)
            ),
        ],
    ),
    "items that are done again and again": (
        "openai-responses",
        [
            {"type": "response.output_text.delta", "item_id": "a", "delta": LONG},
            *(
                [
                    {"type": "response.output_text.delta", "item_id": "a", "delta": "b"},
                    {"type": "response.output_item.done", "item": {"type": "message", "id": "a"}},
                ]
                * 16_000
            ),
        ],
    ),
    "arguments by leaves": ("gemini", [_leaves(_leaf(LONG), *[_leaf("b")] * 116_000)]),
    "sources": ("gemini", [_grounded("a"), _grounded("b"), *[_grounded("b")] * 9]),
}


def _decoder(protocol: WireName) -> Decoder:
    return wire(protocol).decoder(Request("m", ()))


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_of_many_parts_is_put_together_once(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "MOST_ANSWER", 100_000_000)  # more shows better what each costs
    protocol, events = ANSWERS[kind]
    encoded = [json.dumps(each).encode() for each in events]
    decoder = _decoder(protocol)
    gc.disable()  # which looks at what the tests before have left as well
    began = time.process_time()
    for each in encoded:
        decoder.step("", each)
    decoder.end()
    took = time.process_time() - began
    gc.enable()
    assert took < QUICK


MOST_PARTS = tally.MOST_ANSWER // BLOCK
MANY = tally.MOST_ANSWER + 1
PARTS: dict[str, tuple[WireName, Callable[[int], Event]]] = {
    "texts": ("anthropic", lambda n: _block(n, type="text", text="a")),
    "seals": ("anthropic", lambda n: _block(n, type="thinking", thinking="", signature="x")),
    "calls": ("anthropic", lambda n: _block(n, type="tool_use", id=str(n), name="f")),
    "citations": (
        "anthropic",
        lambda n: _block(
            n % 9, type="text", text="a", citations=[{"url": f"{n}.{k}"} for k in range(9)]
        ),
    ),
    "words and thoughts": (
        "openai-chat",
        lambda n: _chat(content="a") if n % 2 else _chat(reasoning="b"),
    ),
    "calls of a chat": (
        "openai-chat",
        lambda n: _chat(tool_calls=[{"index": n, "id": str(n), "function": {"name": "f"}}]),
    ),
    "pictures": (
        "openai-chat",
        lambda n: _chat(images=[{"image_url": {"url": "data:image/png;base64,aaaa"}}]),
    ),
    "sealed thoughts": ("openai-chat", lambda n: _chat(reasoning_details=[{"data": str(n)}])),
    "fields of a thought": ("openai-chat", lambda n: _chat(reasoning_details=[{f"x{n}": 1}])),
    "fields of a tool": (
        "openai-chat",
        lambda n: _chat(executed_tools=[{"index": 0, f"x{n}": 1}]),
    ),
    "notes": (
        "openai-chat",
        lambda n: _chat(content="a", annotations=[{"url_citation": {"url": str(n)}}]),
    ),
    "items": ("openai-responses", lambda n: _added(n, type="reasoning", id=str(n))),
    "parts": (
        "gemini",
        lambda n: {"candidates": [{"content": {"parts": [{"text": "a", "thought": bool(n % 2)}]}}]},
    ),
    "grounds": (
        "gemini",
        lambda n: {
            "candidates": [{"groundingMetadata": {"groundingChunks": [{"web": {"uri": str(n)}}]}}]
        },
    ),
}


@pytest.mark.parametrize("kind", PARTS)
def test_an_answer_of_more_parts_than_anybody_means_is_given_up(kind: str) -> None:
    protocol, made = PARTS[kind]
    decoder = _decoder(protocol)

    def read() -> None:
        for number in range(MANY):
            decoder.step("", json.dumps(made(number)).encode())

    with pytest.raises(TooManyParts):
        read()


async def test_an_answer_of_many_parts_is_told_as_one_that_is_too_large(
    transport: Transport,
) -> None:
    pieces = [chunk('{"content":"a"}') + chunk('{"reasoning":"b"}')] * MOST_PARTS
    async with loopback.serving(Reply([b"".join(pieces)])) as server:
        last = (await ask(transport, server.url, attempts=1))[-1]
    assert isinstance(last, Failed)
    assert "more at once than any answer holds" in last.message


@pytest.mark.usefixtures("unpaced")
async def test_a_whole_answer_of_many_values_in_many_events_is_given_up(
    transport: Transport,
) -> None:
    run = json.dumps({"index": 0, "output": [[]] * 40_000})
    pieces = [
        chunk('{"executed_tools":[' + run.replace("0", str(number), 1) + "]}")
        for number in range(9)
    ]
    pieces += [chunk('{"content":"a"}', '"stop"')]
    async with loopback.serving(Reply(pieces)) as server:
        last = (await ask(transport, server.url, attempts=1))[-1]
    assert isinstance(last, Failed)
    assert "more at once than any answer holds" in last.message


UNITS = {
    "escapes": b'\\\\\\"',
    "halves": b"\\ud800",
    "no text": b"\xff",
    "letters": b"\\u00e9",
    "pictures": "\U0001f600".encode(),
}


@pytest.fixture
def unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """At no pace: these tests are about each event by itself."""
    monkeypatch.setattr(attempt, "FOREIGN_JSON", Pace(1_000_000_000))


@pytest.mark.usefixtures("unpaced")
@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("way", ["whole", "stream"])
async def test_others_have_their_turns_while_a_large_event_is_read(
    transport: Transport, kind: str, way: str
) -> None:
    size = attempt.MAX_WHOLE - 10_000
    text = UNITS[kind] * (size // len(UNITS[kind]))
    body = b'{"id":"x","model":"m","x":[' + b"1," * 300 + b'1],"y":"' + text + b'","choices":[]}'
    reply = Reply([body], headers=JSON) if way == "whole" else Reply([b"data: ", body, b"\n\n"])

    async def read(url: str) -> None:
        await ask(transport, url, attempts=1)

    async with loopback.serving(reply) as server:
        assert await longest_wait_beside(asyncio.create_task(read(server.url))) < 0.5


@pytest.mark.usefixtures("unpaced")
async def test_what_is_large_and_no_text_is_not_looked_at_again(transport: Transport) -> None:
    text = b"\xff" * (attempt.MAX_WHOLE - 10_000)
    reply = Reply([b'{"choices":[{"message":{"content":"' + text + b'"}}]}'], headers=JSON)
    async with loopback.serving(reply) as server:
        last = (await ask(transport, server.url, attempts=1))[-1]
    assert isinstance(last, Failed)


def test_pieces_that_are_joined_once_are_joined_in_their_order() -> None:
    details, leaves = Details(Tally()), Leaves(Tally())
    details.take([{"type": "t", "text": "a"}, {"text": "b", "type": "t"}, {"data": "x"}])
    assert details.whole() == [{"type": "t", "text": "ab"}, {"data": "x"}]
    details.take([{"text": "c"}, {"text": "d"}, {"data": "x"}])
    entries = [{"type": "t", "text": "ab"}, {"data": "x", "text": "cd"}, {"data": "x"}]
    assert details.whole() == entries
    leaves.add([{"jsonPath": "$.a[0].b", "stringValue": each} for each in "abc"])
    leaves.add([{"jsonPath": "$.n", "numberValue": 1.0}])
    assert leaves.whole() == {"a": [{"b": "abc"}], "n": 1}
    assert leaves.whole() == leaves.whole()
    assert not leaves.broken


def test_texts_that_citations_cut_are_one() -> None:
    decoder = _decoder("anthropic")
    for number, text in enumerate(("a", "b", "", "c")):
        cited = [{"url": "u", "title": "t"}] if text in "bc" else []
        start = _block(number, type="text", text=text, citations=cited)
        decoder.step("", json.dumps(start).encode())
    (end,) = [
        each for each in decoder.step("", b'{"type":"message_stop"}') if type(each) is Finished
    ]
    assert [getattr(block, "text", "") for block in end.content] == ["abc", ""]
    assert len(getattr(end.content[1], "sources", ())) == 1


ERRORS: dict[str, tuple[WireName, Callable[[str], Event]]] = {
    "message": ("openai-chat", lambda text: {"error": {"type": "overloaded", "message": text}}),
    "kind": ("openai-chat", lambda text: {"error": {"type": text, "message": "x"}}),
    "code": ("openai-chat", lambda text: {"error": text, "code": text}),
    "raw": (
        "openai-chat",
        lambda text: {"error": {"message": "x", "metadata": {"raw": json.dumps({"error": text})}}},
    ),
    "anthropic": ("anthropic", lambda text: {"type": "error", "error": {"message": text}}),
    "responses": ("openai-responses", lambda text: {"type": "error", "message": text}),
    "failed": (
        "openai-responses",
        lambda text: {
            "type": "response.failed",
            "response": {"status": "failed", "error": {"message": text}},
        },
    ),
    "gemini": ("gemini", lambda text: {"error": {"message": text}}),
}


@pytest.mark.parametrize("words", ["a ", "sk-"])
@pytest.mark.parametrize("kind", ERRORS)
def test_of_an_error_no_more_is_looked_at_than_its_beginning(kind: str, words: str) -> None:
    protocol, made = ERRORS[kind]
    body = json.dumps(made(words * (8_000_000 // len(words)))).encode()
    decoder = _decoder(protocol)
    began = time.process_time()
    failed = [each for each in decoder.step("", body) if isinstance(each, Failed)]
    assert time.process_time() - began < 0.3
    assert failed
    assert len(failed[0].message) < 1_000


def test_a_key_is_not_shown_in_part_where_an_error_is_cut() -> None:
    for shift in range(60):
        text = " " * (15_980 - shift) + "sk-canary-0123456789abcdef0123456789"
        (failed,) = _decoder("gemini").step("", json.dumps({"error": {"message": text}}).encode())
        assert "canary" not in repr(failed)


def test_thousands_of_calls_that_the_provider_ran_are_folded_once() -> None:
    calls = tuple(ToolUse(str(number), "f", server=True) for number in range(20_000))
    said = facts.AssistantMessage(calls, "tool_use")
    told = Fact("assistant_message", 0, said, "m", 1, 0, "agent", 2)
    gc.disable()
    began = time.process_time()
    fold.step(fold.EMPTY, told)
    took = time.process_time() - began
    gc.enable()
    assert took < QUICK


MARKS = {"signals": "TASK_COMPLETE\n\n", "calls": "<tool_call></tool_call>\n\n"}


@pytest.mark.parametrize("kind", MARKS)
def test_blanks_before_what_is_taken_out_are_put_together_once(kind: str) -> None:
    shown = Shown(Wanted(**{kind: True}))
    shown.feed("x\n" + " " * 4_000_000 + "\n")
    began = time.process_time()
    shown.feed(MARKS[kind] * 40_000)
    shown.feed("y")
    assert time.process_time() - began < QUICK
