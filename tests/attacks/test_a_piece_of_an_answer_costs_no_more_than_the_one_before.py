"""Severity: high. What a provider or a model streams in very many pieces, or in pieces behind a very long one, costs
time in step with its length: nobody else waits for minutes because something is put together, or looked for, once per
piece.
"""

import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bottega.agents.reading.answer import read
from bottega.agents.reading.shown import Shown
from bottega.agents.reading.sieve import Wanted
from bottega.events.facts import InputJsonDelta, MessageStart, TextDelta, ToolResultFact
from bottega.events.fold import replay
from bottega.messages.block import Block, Text, ToolResult, ToolUse
from bottega.providers.provider import Finished, Request
from bottega.providers.wires import WireName, wire
from tests.events.logs import answer, log, prompt

N = 600
GROWTH = 8
"""Below twice of what four times as much has to take, and half of what it takes where each looks at all before it."""
LONG = 1000
"""Characters that stand before each of the pieces, all together in one long text."""

Event = dict[str, Any]
Made = Callable[[int], Iterator[Event]]


def seconds(run: Callable[[int], object], n: int) -> float:
    """Of this thread alone: best of three, as others use the machine as well."""
    took: list[float] = []
    gc.disable()  # what others have left behind is none of its costs
    try:
        for _ in range(3):
            began = time.thread_time()
            run(n)
            took.append(time.thread_time() - began)
    finally:
        gc.enable()
    return min(took)


def grows_with_its_length(run: Callable[[int], object], n: int = N) -> None:
    run(10)  # whatever is made at the first time
    took: list[tuple[float, float]] = []
    for _ in range(3):  # a busy machine is slow at times; what is too dear is so each time
        took.append((seconds(run, n), seconds(run, 4 * n)))
        once, more = took[-1]
        if more < GROWTH * once + 0.005:
            return
    raise AssertionError(took)


def letters(n: int) -> str:
    return "a" * (LONG * n)


# Anthropic.


def of_anthropic(*events: Event) -> Iterator[Event]:
    yield {"type": "message_start", "message": {"model": "m"}}
    yield from events
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield {"type": "message_stop"}


def starts(index: int, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **said: Any) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": said}


def anthropic_texts(n: int) -> Iterator[Event]:
    return of_anthropic(
        starts(0, type="text", text=letters(n)),
        *(starts(k, type="text", text="b") for k in range(1, n)),
    )


def anthropic_thoughts(n: int) -> Iterator[Event]:
    return of_anthropic(
        *(starts(k, type="thinking", thinking="a", signature="s") for k in range(n))
    )


def anthropic_deltas(kind: str, field: str, start: Event) -> Made:
    def made(n: int) -> Iterator[Event]:
        return of_anthropic(
            starts(0, **start),
            delta(0, type=kind, **{field: letters(n)}),
            *(delta(0, type=kind, **{field: "b"}) for _ in range(n)),
        )

    return made


def anthropic_citations(n: int) -> Iterator[Event]:
    cited = ({"title": str(k), "url": f"https://a.example/{k}"} for k in range(n))
    return of_anthropic(
        starts(0, type="text"),
        *(delta(0, type="citations_delta", citation=each) for each in cited),
    )


def anthropic_calls(n: int) -> Iterator[Event]:
    return of_anthropic(*(starts(k, type="tool_use", id=str(k), name="f") for k in range(n)))


def anthropic_calls_side_by_side(n: int) -> Iterator[Event]:
    return of_anthropic(
        *(starts(k, type="tool_use", id=str(k), name="f") for k in range(n)),
        *(starts(n + k, type="text", text="b") for k in range(n)),
    )


def anthropic_calls_at_one_place(n: int) -> Iterator[Event]:
    return of_anthropic(*(starts(0, type="tool_use", id="c", name="f") for _ in range(n)))


def anthropic_server_calls(n: int) -> Iterator[Event]:
    for_each = (
        each
        for k in range(n // 2)
        for each in (
            starts(2 * k, type="server_tool_use", id=str(k), name="f", input={"a": 1}),
            starts(2 * k + 1, type="x_tool_result", tool_use_id=str(k), content=[{"text": "a"}]),
        )
    )
    return of_anthropic(*for_each)


def anthropic_usage(n: int) -> Iterator[Event]:
    return of_anthropic(
        *({"type": "message_delta", "usage": {f"a{k}": k, "output_tokens": k}} for k in range(n))
    )


# Chat completions.


def of_chat(*deltas: Event) -> Iterator[Event]:
    for each in deltas:
        yield {"model": "m", "choices": [{"index": 0, "delta": each}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def chat_field(field: str) -> Made:
    def made(n: int) -> Iterator[Event]:
        return of_chat({field: letters(n)}, *({field: "b"} for _ in range(n)))

    return made


def chat_in_turns(n: int) -> Iterator[Event]:
    return of_chat(*({"content": "a"} if k % 2 else {"reasoning": "b"} for k in range(n)))


def chat_parts(n: int) -> Iterator[Event]:
    part = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": [{"text": "b"}]}]
    return of_chat({"content": part * (n // 2)}, *({"content": part} for _ in range(n // 2)))


def called(text: str, **more: Any) -> Event:
    return {"tool_calls": [{**more, "function": {"name": "f", "arguments": text}}]}


def chat_arguments(first: str, piece: str, **more: Any) -> Made:
    def made(n: int) -> Iterator[Event]:
        return of_chat(
            called(first + letters(n), **more), *(called(piece, **more) for _ in range(n))
        )

    return made


def chat_arguments_at_once(n: int) -> Iterator[Event]:
    entries = [*called('{"a": "' + letters(n))["tool_calls"], *(called("}")["tool_calls"] * n)]
    return of_chat({"tool_calls": entries})


def chat_whole_calls(n: int) -> Iterator[Event]:
    return of_chat(*(called("{}") for _ in range(n)))


def chat_numbered_calls(n: int) -> Iterator[Event]:
    return of_chat(*(called("{}", index=k, id=str(k)) for k in range(n)))


def chat_sealed_calls(n: int) -> Iterator[Event]:
    seal = {"google": {"thought_signature": "a"}}
    return of_chat(*(called("b", index=0, extra_content=seal) for _ in range(n)))


def chat_details(*entries: Event, numbered: str = "") -> Made:
    def made(n: int) -> Iterator[Event]:
        several = (
            [{**each, numbered: str(k)} if numbered else each for each in entries]
            for k in range(n // len(entries))
        )
        return of_chat(
            {"reasoning_details": [{"text": letters(n)}]},
            *({"reasoning_details": each} for each in several),
        )

    return made


def chat_details_at_once(n: int) -> Iterator[Event]:
    data = [{"data": str(k)} for k in range(n)]
    return of_chat({"reasoning_details": [{"text": letters(n)}, *([{"text": "b"}] * n), *data]})


def chat_ran(n: int) -> Iterator[Event]:
    ran = ({"index": k, "type": "search", "arguments": "{}", "output": "a"} for k in range(n))
    return of_chat(*({"executed_tools": [each]} for each in ran))


def chat_ran_on(n: int) -> Iterator[Event]:
    return of_chat(*({"executed_tools": [{"index": 0, f"a{k}": k}]} for k in range(n)))


def chat_annotations(n: int) -> Iterator[Event]:
    cited = ({"url_citation": {"url": f"https://a.example/{k}", "title": "a"}} for k in range(n))
    return of_chat(*({"annotations": [each]} for each in cited))


def chat_images(n: int) -> Iterator[Event]:
    image = {"image_url": {"url": "data:image/png;base64,AAAA"}}
    return of_chat(*({"images": [image]} for _ in range(n)))


# Responses.


def of_responses(*events: Event, output: list[Event] | None = None) -> Iterator[Event]:
    yield from events
    yield {"type": "response.completed", "response": {"status": "completed", "output": output}}


def added(index: int, done: bool = False, **item: Any) -> Event:
    kind = "response.output_item.done" if done else "response.output_item.added"
    return {"type": kind, "output_index": index, "item": item}


def responses_deltas(kind: str, **item: Any) -> Made:
    def made(n: int) -> Iterator[Event]:
        one = {"type": f"response.{kind}.delta", "output_index": 0}
        return of_responses(
            added(0, id="i", **item),
            {**one, "delta": letters(n)},
            *({**one, "delta": "b"} for _ in range(n)),
        )

    return made


def responses_items(**item: Any) -> Made:
    def made(n: int) -> Iterator[Event]:
        n //= 2
        return of_responses(
            *(added(k, id=str(k), **item) for k in range(n)),
            *(added(k, done=True, id=str(k), **item) for k in range(n)),
            output=[{**item, "id": str(k)} for k in range(n)],
        )

    return made


def responses_without_places(n: int) -> Iterator[Event]:
    said = ({"type": "response.output_text.delta", "item_id": str(k)} for k in range(n))
    return of_responses(*({**each, "delta": "a"} for each in said for _ in range(2)))


def responses_done_again(n: int) -> Iterator[Event]:
    more = {"type": "response.reasoning_text.delta", "output_index": 0}
    again = added(0, done=True, type="reasoning", id="i", summary=[{"text": "a"}])
    return of_responses(
        added(0, type="reasoning", id="i"),
        {**more, "delta": letters(n)},
        *(each for _ in range(n) for each in (again, {**more, "delta": "b"})),
    )


def responses_results_behind(n: int) -> Iterator[Event]:
    return of_responses(output=[{"type": "reasoning"}] * n + [{"type": "x_output"}] * n)


def responses_of_other_kinds(n: int) -> Iterator[Event]:
    return of_responses(
        *(added(k, type="reasoning", id=str(k)) for k in range(n)),
        output=[{"type": "message", "id": str(k)} for k in range(n)]
        + [{"type": "reasoning", "id": f"x{k}", "call_id": f"c{k}"} for k in range(n)],
    )


def responses_annotations(n: int) -> Iterator[Event]:
    kind = "response.output_text.annotation.added"
    cited = ({"url": f"https://a.example/{k}", "title": "a"} for k in range(n))
    return of_responses(*({"type": kind, "annotation": each} for each in cited))


# Gemini.


def of_gemini(*parts: Event, **candidate: Any) -> Iterator[Event]:
    for part in parts:
        yield {"candidates": [{"content": {"parts": [part]}}]}
    yield {"candidates": [{**candidate, "finishReason": "STOP"}]}


def gemini_texts(**part: Any) -> Made:
    def made(n: int) -> Iterator[Event]:
        return of_gemini({"text": letters(n), **part}, *({"text": "b", **part} for _ in range(n)))

    return made


def gemini_in_turns(n: int) -> Iterator[Event]:
    return of_gemini(*({"text": "a", "thought": k % 2 == 0} for k in range(n)))


def gemini_calls(n: int) -> Iterator[Event]:
    return of_gemini(*({"functionCall": {"name": "f", "args": {"a": k}}} for k in range(n)))


def leaf(path: str, text: str) -> Event:
    return {"jsonPath": path, "stringValue": text}


def gemini_leaves(path: str) -> Made:
    def made(n: int) -> Iterator[Event]:
        first = {"name": "f", "willContinue": True, "partialArgs": [leaf("$.a", letters(n))]}
        more = ({"willContinue": True, "partialArgs": [leaf(path % k, "b")]} for k in range(n))
        parts = [first, *more, {"partialArgs": [leaf("$.a", "c")]}]
        return of_gemini(*({"functionCall": part} for part in parts))

    return made


def gemini_leaves_at_once(n: int) -> Iterator[Event]:
    leaves = [leaf("$.a", letters(n)), *([leaf("$.a", "b"), leaf("$.c[0]", "d")] * n)]
    return of_gemini({"functionCall": {"name": "f", "partialArgs": leaves}})


def gemini_ran(n: int) -> Iterator[Event]:
    call, ran = {"executableCode": {"code": "a"}}, {"codeExecutionResult": {"output": "b"}}
    return of_gemini(*(each for _ in range(n) for each in (call, ran)))


def grounded(first: int, end: int) -> Event:
    chunks = [{"web": {"uri": f"https://a.example/{k}"}} for k in range(first, end)]
    return {"candidates": [{"groundingMetadata": {"groundingChunks": chunks}}]}


def gemini_sources(n: int) -> Iterator[Event]:
    yield from (grounded(k, k + 1) for k in range(n))
    yield from of_gemini()


def gemini_sources_at_once(n: int) -> Iterator[Event]:
    yield grounded(0, n)
    yield grounded(n, 2 * n)
    yield from of_gemini()


def gemini_media(n: int) -> Iterator[Event]:
    media = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    return of_gemini(*(media for _ in range(n)))


TEXT = {"type": "text"}
THOUGHT = {"type": "thinking"}
CALL = {"type": "tool_use", "id": "c", "name": "f"}
DECODED: dict[WireName, dict[str, Made]] = {
    "anthropic": {
        "texts": anthropic_texts,
        "thoughts": anthropic_thoughts,
        "text deltas": anthropic_deltas("text_delta", "text", TEXT),
        "thinking deltas": anthropic_deltas("thinking_delta", "thinking", THOUGHT),
        "signature deltas": anthropic_deltas("signature_delta", "signature", THOUGHT),
        "argument deltas": anthropic_deltas("input_json_delta", "partial_json", CALL),
        "citations": anthropic_citations,
        "calls": anthropic_calls,
        "calls side by side": anthropic_calls_side_by_side,
        "calls at one place": anthropic_calls_at_one_place,
        "server calls": anthropic_server_calls,
        "usage": anthropic_usage,
    },
    "openai-chat": {
        **{
            field: chat_field(field)
            for field in ("content", "reasoning", "reasoning_content", "refusal")
        },
        "in turns": chat_in_turns,
        "parts": chat_parts,
        "arguments": chat_arguments('{"a": "', "b"),
        "arguments that seem to end": chat_arguments('{"a": "', "}"),
        "arguments that do end": chat_arguments('{"a": "b"}', " "),
        "arguments with quotes": chat_arguments('{"a": "', '"}\\'),
        "arguments of an id": chat_arguments('{"a": "', "b", id="c"),
        "arguments at a place": chat_arguments('{"a": "', "}", index=0),
        "arguments at once": chat_arguments_at_once,
        "whole calls": chat_whole_calls,
        "numbered calls": chat_numbered_calls,
        "sealed calls": chat_sealed_calls,
        "texts of details": chat_details({"text": "b"}),
        "data of details": chat_details({"data": "a"}, numbered="data"),
        "details again": chat_details({"data": "a"}),
        "details in turns": chat_details({"text": "b"}, {"data": "a"}),
        "details of kinds": chat_details({"text": "b"}, {"type": "a"}, numbered="index"),
        "fields of a detail": chat_details({"text": "b", "format": "a", "signature": "s"}),
        "details at once": chat_details_at_once,
        "tools that ran": chat_ran,
        "a tool that ran on": chat_ran_on,
        "annotations": chat_annotations,
        "images": chat_images,
    },
    "openai-responses": {
        "text deltas": responses_deltas("output_text", type="message"),
        "refusal deltas": responses_deltas("refusal", type="message"),
        "thought deltas": responses_deltas("reasoning_text", type="reasoning"),
        "argument deltas": responses_deltas(
            "function_call_arguments", type="function_call", name="f"
        ),
        "thoughts": responses_items(type="reasoning"),
        "messages": responses_items(type="message", content=[{"text": "a"}]),
        "calls": responses_items(type="function_call", name="f", call_id="c", arguments="{}"),
        "tools that ran": responses_items(type="web_search_call", action={"query": "a"}),
        "results": responses_items(type="x_output", output="a"),
        "items without places": responses_without_places,
        "an item done again": responses_done_again,
        "results behind thoughts": responses_results_behind,
        "items of other kinds": responses_of_other_kinds,
        "annotations": responses_annotations,
    },
    "gemini": {
        "texts": gemini_texts(),
        "thoughts": gemini_texts(thought=True),
        "sealed texts": gemini_texts(thoughtSignature="a"),
        "in turns": gemini_in_turns,
        "calls": gemini_calls,
        "one leaf": gemini_leaves("$.a%.0s"),
        "many leaves": gemini_leaves("$.b%d"),
        "a list of leaves": gemini_leaves("$.b[%d]"),
        "leaves at once": gemini_leaves_at_once,
        "tools that ran": gemini_ran,
        "sources": gemini_sources,
        "sources at once": gemini_sources_at_once,
        "media": gemini_media,
    },
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, cases in DECODED.items() for name in cases]
)
def test_a_decoder_takes_four_times_as_many_events_in_about_four_times_the_time(
    kind: WireName, name: str
) -> None:
    bodies: dict[int, list[bytes]] = {}

    def decode(n: int) -> None:
        if n not in bodies:
            bodies[n] = [json.dumps(event).encode() for event in DECODED[kind][name](n)]
            decode(n)
            return
        decoder = wire(kind).decoder(Request(model="m", messages=()))
        end = [each for body in bodies[n] for each in decoder.step("", body)]
        assert isinstance([*end, *decoder.end()][-1], Finished)

    for n in (N, 4 * N):
        decode(n)
    grows_with_its_length(decode)


# What is seen of stored facts.


def server_calls(n: int) -> list[Any]:
    blocks: list[Block] = []
    for k in range(n):
        blocks += (ToolUse(str(k), "f", server=True), ToolResult(str(k), (Text("a"),), server=True))
    return [answer(*blocks)]


def server_calls_without_results(n: int) -> list[Any]:
    return [answer(*(ToolUse(str(k), "f", server=True) for k in range(n)))]


def own_calls(n: int) -> list[Any]:
    calls = [ToolUse(str(k), "f", {}) for k in range(n)]
    return [answer(*calls), *(ToolResultFact(str(k), "f", (Text("a"),)) for k in range(n))]


def calls_of_one_id(n: int) -> list[Any]:
    calls = [ToolUse("c", "f", {}) for _ in range(n)]
    return [answer(*calls), *(ToolResultFact("c", "f", (Text("a"),)) for _ in range(n))]


def text_deltas(n: int) -> list[Any]:
    return [TextDelta(letters(n)), *(TextDelta("b") for _ in range(n))]


def calls_in_pieces(n: int) -> list[Any]:
    return [InputJsonDelta(k, "{}", str(k), "f") for k in range(n)]


@pytest.mark.parametrize(
    "made",
    [
        server_calls,
        server_calls_without_results,
        own_calls,
        calls_of_one_id,
        text_deltas,
        calls_in_pieces,
    ],
)
def test_the_fold_takes_four_times_as_much_in_about_four_times_the_time(
    made: Callable[[int], list[Any]],
) -> None:
    logs = {n: log(*prompt(), MessageStart("m"), *made(n)) for n in (10, N, 4 * N)}
    grows_with_its_length(lambda n: list(replay(logs[n])))


# What a model writes.

EVERYTHING = Wanted(calls=True, signals=True, thoughts=True)
WORDS = {
    "signals": "TASK_COMPLETE\n\n",
    "tags": "<tool_call></tool_call>\n\n",
    "fences": "```tool_call\n{}\n```\n\n",
    "thoughts": "THOUGHT: a\n\n",
    "ends of thoughts": "</think>\n",
    "half a fence": "```tool_call\n",
    "half a tag": "<tool_call>\n{\n",
    "labels": "ACTION:\n",
    "json": '{"name":\n',
    "comments": "<!--\n",
    "quotes": "> a\n",
    "lists": "- a\n",
    "words": "a",
    "lines": "a\n",
    "blank lines": "\n",
    "blanks": " ",
}
BEFORE = {
    "blanks": ("x\n{}\n", " " * 5 * LONG),
    "blank lines": ("x\n{}\n", "\n" * 20),
    "a line": ("{}", "a" * LONG),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("word", WORDS)
def test_what_a_model_writes_is_read_and_shown_in_about_four_times_the_time(
    word: str, before: str
) -> None:
    form, sign = BEFORE[before]
    n = N // 3
    texts = {size: [form.format(sign * size), *([WORDS[word]] * size)] for size in (10, n, 4 * n)}

    def shown(n: int) -> None:
        flow = Shown(EVERYTHING)
        for piece in texts[n]:
            flow.feed(piece)
        flow.rest()

    def whole(n: int) -> None:
        read("".join(texts[n]), wanted=EVERYTHING)

    grows_with_its_length(shown, n)
    grows_with_its_length(whole, n)
