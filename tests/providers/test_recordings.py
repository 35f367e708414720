"""Every recorded stream says what the vendor's own SDK makes of it, in pieces of any size."""

import json
from typing import Any

import pytest

from bottega.messages.block import Reasoning, Source, Sources, Text, ToolResult, ToolUse
from bottega.messages.message import Usage
from bottega.providers.provider import Finished
from bottega.providers.wires import wire
from tests.providers.recordings import (
    KINDS,
    RECORDINGS,
    Recording,
    added_up,
    blocks_are_valid,
    check_shape,
    every_recording,
    needs_recordings,
    play,
)

SIZES = (1, 7, 4096, 0)


def heard(recording: Recording, size: int) -> dict[str, Any]:
    events = play(recording.kind, recording.body.encode(), size, recording.wire_request)
    return added_up(events)


def usage_of(recording: Recording) -> dict[str, int]:
    """What our `Usage` must say, from what the vendor's SDK says."""
    stated: dict[str, int | None] = recording.expected["usage"] or {}
    told = {name: count or 0 for name, count in stated.items()}
    if not told:
        return {}
    if recording.kind == "anthropic":
        # Anthropic counts the cached input beside the rest of it.
        cached, written = told["cache_read"], told["cache_write"]
        return {
            "input_tokens": told["input"] + cached + written,
            "output_tokens": told["output"],
            "cached_tokens": cached,
            "cache_write_tokens": written,
        }
    if recording.kind == "gemini":
        # Google counts thoughts beside the output, and what its tools fed the model beside the prompt.
        return {
            "input_tokens": told["input"] + fed_by_tools(recording.body),
            "output_tokens": told["output"] + told["thoughts"],
            "reasoning_tokens": told["thoughts"],
        }
    return {"input_tokens": told["input"], "output_tokens": told["output"]}


def fed_by_tools(body: str) -> int:
    found = 0
    for line in body.splitlines():
        if line.startswith("data:"):
            usage = json.loads(line.removeprefix("data:")).get("usageMetadata", {})
            found = usage.get("toolUsePromptTokenCount", found)
    return found


def same_calls(recording: Recording, calls: list[dict[str, str]]) -> bool:
    """Ids and arguments to the letter; Google gives no id, and its arguments are no text."""
    expected = recording.expected["tool_calls"]
    if recording.kind != "gemini":
        return calls == expected
    return [(c["name"], json.loads(c["args"])) for c in calls] == [
        (c["name"], json.loads(c["args"])) for c in expected
    ]


def sources_of(end: Finished) -> list[Source]:
    return [s for block in end.content if isinstance(block, Sources) for s in block.sources]


def parts_of(end: Finished) -> list[str]:
    """Our blocks, in the words of Anthropic's, text runs as one."""
    names: list[str] = []
    for block in end.content:
        if isinstance(block, Text):
            name = "text"
        elif isinstance(block, Reasoning):
            name = "compaction" if (block.raw or {}).get("type") == "compaction" else "thinking"
        elif isinstance(block, ToolUse):
            name = "server_tool_use" if block.server else "tool_use"
        elif isinstance(block, ToolResult):
            name = "result"
        else:
            continue
        names.append(name)
    return runs(names)


def runs(names: list[str]) -> list[str]:
    """The order of kinds: neighbouring texts count as one, compactions not at all."""
    plain = {"redacted_thinking": "thinking"}
    short = [
        "result" if n.endswith("_tool_result") else plain.get(n, n)
        for n in names
        if n != "compaction"
    ]
    return [n for i, n in enumerate(short) if n != "text" or i == 0 or short[i - 1] != "text"]


def items_of(end: Finished) -> list[str]:
    """The items of a response that our blocks came from."""
    names: list[str] = []
    for block in end.content:
        if isinstance(block, Text):
            names.append("message")
        elif isinstance(block, ToolUse) and not block.server:
            names.append("function_call")
        elif isinstance(block, Reasoning | ToolUse | ToolResult) and block.raw:
            names.append(block.raw["type"])
    return names


@needs_recordings
@pytest.mark.requirement("A22", "A23")
@every_recording()
@pytest.mark.parametrize("size", SIZES)
def test_a_recorded_stream_says_what_the_vendor_s_sdk_says(recording: Recording, size: int) -> None:
    got, expected = heard(recording, size), recording.expected
    if "error" in expected:
        assert expected["error"] in got["error"]
        return
    assert got["text"] == expected["text"]
    assert got["reasoning"] == expected["reasoning"]
    assert same_calls(recording, got["tool_calls"])
    assert got["stop"] == expected["stop"]
    usage: Usage = got["usage"]
    for name, count in usage_of(recording).items():
        assert getattr(usage, name) == count, name
    blocks_are_valid(got["end"])


CITING = [r for r in RECORDINGS if any(s["url"] for s in r.expected.get("sources") or [])]


@needs_recordings
@pytest.mark.parametrize("recording", CITING, ids=lambda r: r.name)
def test_a_recorded_answer_names_its_sources(recording: Recording) -> None:
    cited = [s for s in recording.expected["sources"] if s["url"]]
    found = sources_of(heard(recording, 0)["end"])
    assert [s.url for s in found] == [s["url"] for s in cited]
    for ours, theirs in zip(found, cited, strict=True):
        assert theirs["title"] in (ours.title, None)


@needs_recordings
@every_recording("anthropic")
def test_the_blocks_of_a_message_keep_their_order(recording: Recording) -> None:
    assert parts_of(heard(recording, 0)["end"]) == runs(recording.expected["blocks"])


@needs_recordings
@every_recording("openai-responses")
def test_the_items_of_a_response_keep_their_order(recording: Recording) -> None:
    assert items_of(heard(recording, 0)["end"]) == recording.expected["items"]


@needs_recordings
@every_recording()
def test_a_tool_that_the_provider_ran_has_its_result_in_the_same_message(
    recording: Recording,
) -> None:
    end = check_shape(play(recording.kind, recording.body.encode()))
    blocks = end.content if isinstance(end, Finished) else ()
    ran = [b.id for b in blocks if isinstance(b, ToolUse) and b.server]
    results = [b.tool_id for b in blocks if isinstance(b, ToolResult)]
    assert len(set(results)) == len(results)
    assert set(results) <= set(ran)
    if recording.kind != "gemini":  # Google does not always say what its tools found
        assert len(results) == len(ran)
    assert all(b.server for b in blocks if isinstance(b, ToolResult))


@needs_recordings
@every_recording()
def test_the_events_of_a_recorded_stream_are_the_same_in_pieces_of_any_size(
    recording: Recording,
) -> None:
    body = recording.body.encode()
    whole = without_ids(play(recording.kind, body))
    for size in (1, 3, 1000):
        assert without_ids(play(recording.kind, body, size)) == whole


def without_ids(events: list[Any]) -> str:
    """The events as text, made-up ids aside."""
    shown, names = repr(events), iter(range(10_000))
    for block in (b for e in events if isinstance(e, Finished) for b in e.content):
        if isinstance(block, ToolUse):
            shown = shown.replace(block.id, f"call {next(names)}")
    return shown


@pytest.mark.parametrize("kind", KINDS)
def test_a_decoder_that_has_ended_says_nothing_more(kind: str) -> None:
    decoder = wire(kind).decoder(Recording(kind, "", 200, "", {}).wire_request)  # type: ignore[arg-type]
    assert len(decoder.end()) == 1
    assert list(decoder.end()) == []
    assert list(decoder.step("", b'{"choices":[{"delta":{"content":"x"}}]}')) == []
    assert list(decoder.whole(b"{}")) == []
