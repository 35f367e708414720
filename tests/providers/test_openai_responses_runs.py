"""Tools that the provider ran itself, and what else stands in a response besides words and calls."""

import json
from typing import Any

import pytest

from bottega.messages.block import Image, Reasoning, Source, Sources, Text, ToolResult, ToolUse
from bottega.providers.provider import Finished
from tests.providers.made_up import finished, sse
from tests.providers.made_up_responses import (
    WEB,
    Event,
    added,
    created,
    delta,
    done,
    ended,
    message,
)
from tests.providers.recordings import play, streamed_calls

KIND = "openai-responses"

CODE = {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "1+1",
        "container_id": "x", "outputs": [{"type": "logs", "logs": "2"}]}  # fmt: skip
FILES = {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"],
         "results": [{"filename": "a.txt", "text": "found"}]}  # fmt: skip
MCP = {"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": '{"q": 1}', "output": "said",
       "server_label": "s"}  # fmt: skip
BROKEN = {**MCP, "output": None, "error": "no route"}
LISTED = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}

RAN: list[tuple[Event, str, dict[str, Any], tuple[Text, ...], bool]] = [
    (WEB, "web_search", {"type": "search", "query": "q"}, (), False),
    (CODE, "code_interpreter", {"code": "1+1"}, (Text("2"),), False),
    (FILES, "file_search", {"queries": ["q"]}, (Text("a.txt\nfound"),), False),
    (MCP, "ask", {"q": 1}, (Text("said"),), False),
    (BROKEN, "ask", {"q": 1}, (Text("no route"),), True),
    (LISTED, "mcp_list_tools", {"server_label": "s"}, (), False),
]


@pytest.mark.parametrize(("item", "name", "given", "content", "wrong"), RAN)
def test_a_tool_that_the_provider_ran_stands_in_the_answer_with_its_result(
    item: Event, name: str, given: dict[str, Any], content: tuple[Text, ...], wrong: bool
) -> None:
    played = play(KIND, sse(created(), added(0, {**item, "status": "in_progress"}), done(0, item),
                            ended(item, message("x", "i1"))))  # fmt: skip
    end = played[-1]
    assert isinstance(end, Finished)
    use = ToolUse(item["id"], name, given, server=True, origin=KIND, raw=item)
    result = ToolResult(item["id"], content, wrong, server=True, origin=KIND)
    assert end.content == (use, result, Text("x"))
    assert end.stop_reason == "end_turn"
    (streamed,) = streamed_calls(played)
    assert (streamed["id"], streamed["name"]) == (item["id"], name)
    assert json.loads(streamed["args"]) == given


def test_a_picture_that_the_provider_drew_is_the_result_of_its_tool() -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "QUJD",
            "output_format": "webp", "revised_prompt": "A cat"}  # fmt: skip
    use, result = finished(KIND, sse(ended(item))).content
    assert isinstance(use, ToolUse)
    assert (use.name, use.input) == ("image_generation", {"revised_prompt": "A cat"})
    assert use.raw == {k: v for k, v in item.items() if k != "result"}
    assert isinstance(result, ToolResult)
    assert result.content == (Image("image/webp", "QUJD"),)


def test_a_result_that_is_an_item_of_its_own_belongs_to_the_call_before_it() -> None:
    search = {"type": "tool_search_call", "id": "t1", "arguments": {"paths": ["x"]}}
    output = {"type": "tool_search_output", "id": "t2", "tools": []}
    use, result = finished(KIND, sse(ended(search, output))).content
    assert isinstance(use, ToolUse)
    assert use.input == {"paths": ["x"]}
    assert result == ToolResult("t1", server=True, origin=KIND, raw=output)
    assert finished(KIND, sse(ended(output))).content == ()


def test_a_sealed_item_is_kept_for_the_way_back() -> None:
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}
    assert finished(KIND, sse(ended(item))).content == (Reasoning("", origin=KIND, raw=item),)


def test_sources_are_named_once() -> None:
    notes = [
        {"type": "url_citation", "url": "http://a", "title": "A"},
        {"type": "file_citation", "file_id": "f", "filename": "b.txt"},
    ]
    streamed = {"type": "response.output_text.annotation.added", "annotation": notes[0]}
    body = sse(
        created(), delta("output_text", "x"), streamed, ended(message("x", annotations=notes))
    )
    sources = Sources((Source("A", "http://a"), Source("b.txt")))
    assert finished(KIND, body).content == (Text("x"), sources)
