"""Severity: high. An MCP server, a provider, another Bottega or an export sends millions of tiny values in a few
megabytes, or levels without end: it is told what is wrong, nothing of it is decoded or stored, and all others go on.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bottega.errors import BadUsage, Misconfigured
from bottega.fairness import Pace, acting_for
from bottega.mcp.problems import plain
from bottega.mcp.server import McpServer
from bottega.messages.block import ToolUse
from bottega.messages.json_size import MOST_ANSWER, MOST_ARGUMENTS, fault_of
from bottega.providers.http.connect import Transport
from bottega.providers.protocol.explain import ErrorText, explain_error
from bottega.providers.protocol.loose_json import arguments
from bottega.providers.protocol.tally import TooManyParts
from bottega.providers.provider import Failed, Finished, Request
from bottega.providers.wires import WireName, wire
from bottega.sessions.exports.bring_in import Limits, bring_in
from bottega.settings import PROJECT_FILE, read_file
from bottega.studio import Studio
from bottega.tools.builtin import builtin_registry
from bottega.tools.call import found
from bottega.tools.tool import Outcome
from tests.attacks.crowded import CROWDED, DEEP, MILLION
from tests.attacks.exports import exchange, export
from tests.mcp.address import Address, on, serving
from tests.mcp.conftest import Staged, stage
from tests.mcp.test_lines import Ends
from tests.providers import loopback
from tests.providers.conftest import transport
from tests.providers.loopback import Reply
from tests.providers.plain import Caller
from tests.providers.test_wires_over_http import ask, chunk

__all__ = ["stage", "transport"]

QUICK = 1.0
"""Seconds of this process for a text of millions of values."""
TOO_MUCH = "of more than 50,000 fields and elements"


@pytest.fixture
async def address() -> AsyncIterator[Address]:
    async with serving() as running:
        yield running


def _wrapped(value: str) -> str:
    return f'{{"content":[],"structuredContent":{{"a":{value}}}}}'


RESULTS: dict[str, str] = {
    **{kind: _wrapped(made(200_000)) for kind, made in CROWDED.items()},
    "blocks": '{"content":[' + ",".join(['{"type":"text","text":""}'] * 60_000) + "]}",
}
WAYS = {
    "json": ("application/json", "{}"),
    "json in another spelling": ("Application/JSON; charset=utf-16", "{}"),
    "events": ("text/event-stream", "event: message\ndata: {}\n\n"),
    "events in another spelling": ("Text/Event-Stream;charset=utf-7", ': "\r\rdata: {}\r\r'),
}


@pytest.mark.parametrize("way", WAYS)
async def test_an_mcp_servers_answer_of_very_many_values_fails_its_call_alone(
    stage: Staged, address: Address, way: str
) -> None:
    kind, frame = WAYS[way]
    sent: list[str] = []

    def crowded(request: web.Request, message: dict[str, Any]) -> web.Response:
        body = f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{sent[-1]}}}'
        return web.Response(
            body=frame.replace("{}", body, 1).encode(), headers={"content-type": kind}
        )

    here = stage({"hub": McpServer(url=address.url)})
    await here.look()
    address.answer = on("tools/call", crowded)
    for result in RESULTS.values() if way == "json" else [RESULTS["lists"]]:
        sent.append(result)
        told = await here.failed("mcp__hub__echo")
        assert TOO_MUCH in told, told
    address.answer = None
    assert await here.result("mcp__hub__echo", a=2) == '{"a": 2}'


@pytest.mark.parametrize("kind", [*RESULTS, "deep"])
async def test_a_program_that_prints_such_a_line_is_ended(kind: str) -> None:
    ends = Ends(largest=16_000_000)
    await ends.pipes.open()
    result = RESULTS.get(kind) or _wrapped(DEEP["lists"](400))
    line = f'{{"jsonrpc":"2.0","id":1,"result":{result}}}\n'.encode()
    writing = asyncio.create_task(asyncio.to_thread(_write, ends.stdout, line))
    with pytest.raises(StopAsyncIteration):
        await anext(ends.incoming)
    assert ends.ended.is_set()
    said = "nested more than 200 levels deep" if kind == "deep" else TOO_MUCH
    assert ends.pipes.fault == f"It sent a line {said}."
    await writing
    os.close(ends.stdin)
    ends.pipes.close_input()
    ends.pipes.close()
    await asyncio.sleep(0)


def _write(fd: int, data: bytes) -> None:
    with os.fdopen(fd, "wb") as pipe:
        pipe.write(data)


@pytest.mark.parametrize("way", ["stream", "whole"])
async def test_a_provider_that_sends_very_many_values_has_given_no_answer(
    transport: Transport, way: str
) -> None:
    for made in (CROWDED["lists"], CROWDED["fields"]):
        body = f'{{"text":"x","more":{made(300_000)}}}'.encode()
        pieces = [body] if way == "whole" else [b"data: " + body + b"\n\n"]
        async with loopback.serving(Reply(pieces)) as server:
            failed = await Caller(transport, server.url).fail()
        assert "more at once than any answer holds" in failed.message


BAD: dict[str, str] = {
    **{f"crowded: {kind}": f'{{"todos":{made(MILLION // 4)}}}' for kind, made in CROWDED.items()},
    **{f"deep: {kind}": f'{{"todos":{made(700_000)}}}' for kind, made in DEEP.items()},
    **{f"deep, cut off: {kind}": f'{{"todos":{made(700_000)}' for kind, made in DEEP.items()},
    **{f"deep, alone: {kind}": made(700_000) for kind, made in DEEP.items()},
    "closed only": "]" * MILLION,
}


@pytest.mark.parametrize("kind", BAD)
def test_arguments_without_measure_are_told_to_the_model(kind: str) -> None:
    began = time.process_time()
    assert arguments(BAD[kind]) is None
    told = found(ToolUse("c", "todo_write", {}, BAD[kind]), builtin_registry())
    assert isinstance(told, Outcome)
    assert told.error
    assert told.error.code == "INVALID_ARGUMENTS"
    assert "The tool was not run." in told.error.message
    assert time.process_time() - began < QUICK


def test_long_texts_in_arguments_are_no_values() -> None:
    said = json.dumps({"path": "a.json", "content": CROWDED["fields"](MILLION // 10)})
    assert arguments(said)
    assert arguments(json.dumps({"a": list(range(MOST_ARGUMENTS - 10))}))


@pytest.mark.parametrize("sign", ["]", "}", "[]", "{}", '"', '\\"', "\\\\", ",", "\\"])
def test_to_count_costs_no_more_than_the_bytes_whatever_they_are(sign: str) -> None:
    for start in ('["', "[", "[" + "[]," * 300):
        began = time.process_time()
        fault_of((start + sign * (8 * MILLION // len(sign))).encode(), 50_000)
        assert time.process_time() - began < QUICK


def _facts(value: str) -> list[tuple[str, dict[str, Any]]]:
    return exchange(
        ("tool_intent", {"tool_id": "t", "name": "n", "hash": "h", "input": json.loads(value)})
    )


@pytest.mark.parametrize("kind", ["one crowded fact", "many", "a crowded header", "a deep fact"])
async def test_an_export_of_very_many_values_is_not_brought_in(
    home: Path, tmp_path: Path, kind: str
) -> None:
    small = _facts('{"a":[' + "1," * 1000 + "1]}")
    file = export(tmp_path / "evil.jsonl", small * 10)
    lines = file.read_bytes().splitlines(True)
    if kind == "one crowded fact":
        lines[3] = lines[3].replace(b'"a":[', b'"a":[' + b"[]," * 300_000, 1)
    elif kind == "a deep fact":
        lines[3] = lines[3].replace(b'"a":[', b'"a":[' + b"[" * 400 + b"]" * 400 + b",", 1)
    elif kind == "a crowded header":
        lines[0] = lines[0].replace(b'"title":', b'"x":[' + b"[]," * 300_000 + b'1],"title":', 1)
    limits = Limits(members=5_000)
    async with Studio(home) as studio:
        opened = studio.runtime
        with pytest.raises(BadUsage, match=r"fields and elements|levels deep"):
            await bring_in(
                opened.database, opened.blobs, lines, folder=str(tmp_path), limits=limits
            )
        stored = opened.database.read_now(
            lambda c: c.execute("SELECT count(*) FROM events").fetchone()
        )
        assert stored == (0,)


async def test_who_has_much_decoded_waits_for_nobody_but_themselves() -> None:
    pace = Pace(1_000_000)

    async def decoded(person: int, times: int) -> float:
        with acting_for(person):
            began = time.monotonic()
            for _ in range(times):
                await pace.take(50_000)
            return time.monotonic() - began

    greedy = [asyncio.create_task(decoded(1, 2)) for _ in range(3)]
    await asyncio.sleep(0)
    assert await decoded(2, 1) < 0.04
    assert max(await asyncio.gather(*greedy)) > 0.2


@pytest.mark.parametrize("value", ["[" * 200_000, "{a=" * 200_000, "[" * 5000 + "]" * 5000])
def test_settings_of_a_repository_without_end_are_refused_in_words(
    tmp_path: Path, value: str
) -> None:
    (tmp_path / PROJECT_FILE).write_text(f"a={value}")
    with pytest.raises(Misconfigured, match="is no valid TOML"):
        read_file(tmp_path / PROJECT_FILE)


WRONG = {
    "parts": {"content": [{}] * 10_000},
    "parts of no kind": {"content": [1] * 40_000},
    "links": {"content": [{"type": "resource_link", "uri": "a:b", "name": ""}] * 7_000},
    "wrong parts": {"content": [1] * 900},
}


@pytest.mark.parametrize("kind", WRONG)
async def test_an_answer_of_many_parts_or_faults_is_told_in_a_few_words(
    stage: Staged, address: Address, kind: str
) -> None:
    def wrong(request: web.Request, message: dict[str, Any]) -> web.Response:
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": WRONG[kind]})

    here = stage({"hub": McpServer(url=address.url)})
    await here.look()
    address.answer = on("tools/call", wrong)
    told = await here.failed("mcp__hub__echo")
    many = "of its values are not what they should be"
    assert (many if kind == "wrong parts" else "it has more than 1,000 parts") in told


@pytest.mark.parametrize("sign", ["x", "\0", "\n", "\u200b"])
def test_a_reason_of_megabytes_is_cut_before_it_is_looked_at(sign: str) -> None:
    began = time.process_time()
    assert len(plain(sign * (16 * MILLION))) <= 601
    assert time.process_time() - began < 0.2


def _called(number: int, given: str) -> str:
    said = json.dumps({"name": "todo_write", "arguments": given})
    return f'{{"index":{number},"id":"c{number}","type":"function","function":{said}}}'


@pytest.mark.parametrize("way", ["a chunk each", "one chunk", "whole"])
async def test_many_calls_of_many_values_each_are_no_answer(transport: Transport, way: str) -> None:
    given = json.dumps({"a": [[]] * 9_000})
    calls = [_called(number, given) for number in range(60)]
    match way:
        case "a chunk each":
            pieces = [chunk(f'{{"tool_calls":[{call}]}}') for call in calls]
        case "one chunk":
            pieces = [chunk(f'{{"tool_calls":[{",".join(calls)}]}}')]
        case _:
            message = f'{{"role":"assistant","tool_calls":[{",".join(calls)}]}}'
            pieces = [f'{{"choices":[{{"index":0,"message":{message}}}]}}'.encode()]
    if way != "whole":
        pieces += [chunk("{}", '"tool_calls"'), b"data: [DONE]\n\n"]
    async with loopback.serving(Reply(pieces)) as server:
        last = (await ask(transport, server.url, attempts=1))[-1]
    assert isinstance(last, Failed)
    assert "more at once than any answer holds" in last.message


def _delta(said: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said}]}


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [part]}}]}


def _block(number: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": number, "content_block": block}


def _item(kind: str, number: int, **more: Any) -> dict[str, Any]:
    item = {"type": "reasoning", "id": str(number), **more}
    return {"type": f"response.output_item.{kind}", "output_index": number, "item": item}


def _leaf(number: int) -> dict[str, Any]:
    leaves = [{"jsonPath": f"$.a{number}", "numberValue": 1}]
    return _part({"functionCall": {"name": "f", "willContinue": True, "partialArgs": leaves}})


def _grounded(number: int) -> dict[str, Any]:
    chunks = [{"web": {"uri": str(number)}}]
    return {"candidates": [{"groundingMetadata": {"groundingChunks": chunks}}]}


MANY: dict[WireName, dict[str, Callable[[int], dict[str, Any]]]] = {
    "anthropic": {
        "blocks": lambda n: _block(n, type="thinking", thinking="", signature="s"),
        "results": lambda n: _block(n, type="x_tool_result", tool_use_id="", content=[[[]]] * 50),
        "citations": lambda n: _block(0, type="text", citations=[{"url": str(n)}]),
        "citations later": lambda n: (
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "citations_delta", "citation": {"url": str(n)}},
            }
            if n
            else _block(0, type="text")
        ),
    },
    "openai-chat": {
        "calls": lambda n: _delta({"tool_calls": [{"index": n, "function": {"name": "f"}}]}),
        "details": lambda n: _delta({"reasoning_details": [{"data": str(n)}] * 2}),
        "fields of details": lambda n: _delta({"reasoning_details": [{str(n): [1]}]}),
        "citations": lambda n: _delta({"annotations": [{"url": str(n)}]}),
        "tools that ran": lambda n: _delta({"executed_tools": [{"index": 0, str(n): 1}]}),
        "texts": lambda _: _delta({"content": "a", "reasoning": "b"}),
    },
    "openai-responses": {
        "items": lambda n: _item("added", n),
        "an item again": lambda _: _item("done", 0, summary=[[]] * 20),
        "citations": lambda n: {
            "type": "response.output_text.annotation.added",
            "annotation": {"url": str(n)},
        },
    },
    "gemini": {
        "parts": lambda n: _part({"text": "a", "thought": n % 2 == 0}),
        "results": lambda _: _part({"toolResponse": {"response": [[[]]] * 50}}),
        "leaves": _leaf,
        "sources": _grounded,
    },
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, cases in MANY.items() for name in cases]
)
def test_what_all_events_of_an_answer_add_up_to_is_bounded_as_each_of_them_is(
    kind: WireName, name: str
) -> None:
    decoder = wire(kind).decoder(Request(model="m", messages=()))
    taken = 0
    with suppress(TooManyParts):
        for number in range(MOST_ANSWER):
            decoder.step("", msgspec.json.encode(MANY[kind][name](number)))
            taken += 1
    assert 300 < taken < MOST_ANSWER  # an honest answer may have hundreds


async def test_an_answer_of_very_many_blocks_is_no_answer_and_asked_for_once(
    transport: Transport,
) -> None:
    pieces = [chunk('{"content":"a"}') + chunk('{"reasoning":"b"}') for _ in range(6_000)]
    async with loopback.serving(Reply([b"".join(pieces)])) as server:
        last = (await ask(transport, server.url, attempts=2))[-1]
        asked = len(server.requests)
    assert isinstance(last, Failed)
    assert "more at once than any answer holds" in last.message
    assert asked == 1


ERRORS: dict[WireName, dict[str, Any]] = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error"}},
    "openai-chat": {"error": {"type": "overloaded_error"}},
    "openai-responses": {"type": "error", "error": {"type": "overloaded_error"}},
    "gemini": {"error": {"status": "UNAVAILABLE"}},
}
PLACES: dict[str, Any] = {
    "message": lambda said: {"message": said},
    "a list": lambda said: {"message": [{"msg": said[:1000]}] * (len(said) // 1000)},
    "nested": lambda said: {"message": [[[[[[[[said, "b"], "b"], "b"], "b"], "b"], "b"], "b"]]},
    "raw": lambda said: {"message": "a", "metadata": {"raw": said}},
    "kind": lambda said: {"message": "a", "code": said, "status": said},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_of_megabytes_in_a_stream_is_cut_before_it_is_made_readable(
    kind: WireName, place: str
) -> None:
    for said in ("a ", "a", " ", "1", "é-"):
        error = msgspec.json.decode(msgspec.json.encode(ERRORS[kind]))
        error["error"] |= PLACES[place](said * (4 * MILLION // len(said)))
        event = msgspec.json.encode(error)
        took: list[float] = []
        for _ in range(3):
            decoder = wire(kind).decoder(Request(model="m", messages=()))
            began = time.thread_time()
            (failed,) = decoder.step("", event)
            took.append(time.thread_time() - began)
            assert isinstance(failed, Failed)
            assert len(failed.message) < 600
        assert min(took) < 0.15


@pytest.mark.parametrize(
    "before", ["", " " * 15_950, "a " * 7_975, "sk-1234567 " * 1_450, "é," * 7_975]
)
def test_a_key_at_the_place_where_an_error_is_cut_stays_hidden(before: str) -> None:
    key = "sk-" + "0a1b2c3d4e" * 30
    for more in range(0, 60, 7):
        said = f"{before}{'b ' * (more // 2)}{key} {'c' * MILLION}"
        failed = explain_error("The provider", ErrorText(said, "server_error"))
        assert "0a1b2c" not in failed.message


def test_what_a_provider_notes_of_an_answer_is_no_longer_than_an_error() -> None:
    said = "a" * MILLION
    details = {"stop_reason": "refusal", "stop_details": {"explanation": said}}
    refused = {"candidates": [{"finishReason": "SAFETY", "finishMessage": said}]}
    blocked = {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": said}}
    ends: dict[WireName, list[Any]] = {
        "anthropic": [{"type": "message_delta", "delta": details}, {"type": "message_stop"}],
        "gemini": [refused, blocked],
    }
    for kind, events in ends.items():
        decoder = wire(kind).decoder(Request(model="m", messages=()))
        told = [each for event in events for each in decoder.step("", msgspec.json.encode(event))]
        (end,) = [each for each in (*told, *decoder.end()) if isinstance(each, Finished)]
        assert max(map(len, end.notices)) <= 400
