import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.errors import Misconfigured
from bottega.messages.block import Reasoning, Text, ToolResult, ToolUse
from bottega.messages.message import Message, Usage, user
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    Provider,
    ReasoningPiece,
    Request,
    Reset,
    Retrying,
    Started,
    StreamEvent,
    TextPiece,
)
from bottega.providers.script import (
    Call,
    Cut,
    Fail,
    Gate,
    Pause,
    ResetStep,
    Retry,
    Rule,
    Say,
    Script,
    Stop,
    Think,
    Turn,
    load,
)
from bottega.providers.scripted import Scripted
from tests.providers.recordings import added_up, blocks_are_valid, check_shape


def asked(*messages: Message | str, model: str = "m") -> Request:
    said = tuple(user(each) if isinstance(each, str) else each for each in messages)
    return Request(model=model, messages=said)


ANSWER = Message("assistant", (Text("…"),))
RESULT = Message("tool", (ToolResult("call_1_1", (Text("done"),)),))


async def play(provider: Provider, request: Request) -> list[StreamEvent]:
    async with asyncio.timeout(30):
        return [event async for event in provider.stream(request)]


async def end(provider: Provider, request: Request) -> Finished | Failed:
    return check_shape(await play(provider, request))


async def text(provider: Provider, request: Request) -> str:
    finished = await end(provider, request)
    assert isinstance(finished, Finished)
    return "".join(block.text for block in finished.content if isinstance(block, Text))


async def test_a_turn_is_streamed_and_then_said_whole() -> None:
    turn = [
        Think("I shall look."),
        Say("Let me "),
        Say("see."),
        Call("read_file", {"file_path": "a"}, pieces=3),
        Call("list_dir"),
    ]
    events = await play(Scripted([turn]), asked("hi"))
    whole = added_up(events)
    assert whole["text"] == "Let me see."
    assert whole["reasoning"] == "I shall look."
    assert [call["args"] for call in whole["tool_calls"]] == ['{"file_path":"a"}', "{}"]
    finished = whole["end"]
    assert finished.content == (
        Reasoning("I shall look."),
        Text("Let me see."),
        ToolUse("call_1_1", "read_file", {"file_path": "a"}),
        ToolUse("call_1_2", "list_dir", {}),
    )
    assert finished.stop_reason == "tool_use"
    assert events[0] == Started("scripted")
    assert sum(isinstance(event, CallPiece) for event in events) == 6
    assert sum(isinstance(event, TextPiece) for event in events) > 2
    blocks_are_valid(finished)


async def test_the_turn_is_read_off_the_conversation_alone() -> None:
    turns = [[Call("list_dir")], [Say("two")], [Say("three")]]
    for provider in (Scripted(turns), Scripted(turns)):
        assert isinstance(await end(provider, asked("hi")), Finished)
        assert await text(provider, asked("hi", ANSWER, RESULT)) == "two"
        assert await text(provider, asked("hi", ANSWER, RESULT, ANSWER, "go on")) == "three"
        assert await text(provider, asked("hi", ANSWER, RESULT)) == "two"


async def test_what_is_told_beside_the_users_words_is_not_taken_for_them() -> None:
    rules = (Rule("weather", ((Call("look"),), (Say("It rains."),))),)
    provider = Scripted(Script(((Say("no rule"),),), rules))
    around = (Text("the weather!", aside=True), Text("hello"), Text("weather", aside=True))
    assert await text(provider, Request("m", (Message("user", around),))) == "no rule"
    aside = Message("user", (Text("Mind the limit.", aside=True),))
    assert await text(provider, asked("the weather?", ANSWER, RESULT, aside)) == "It rains."


async def test_after_the_last_turn_it_says_so_or_begins_again() -> None:
    late = asked("hi", ANSWER, "and", ANSWER, "so")
    turns = ((Say("one"),), (Say("two"),))
    assert await text(Scripted(Script(turns)), late) == "The script has no more turns: it has 2."
    assert await text(Scripted(Script(turns, after="repeat")), late) == "one"


async def test_a_rule_answers_words_of_the_user_turn_by_turn() -> None:
    rules = (
        Rule("WEATHER", ((Call("look"),), (Say("It rains."),))),
        Rule(r"/^c(at|ow)s?$/", ((Say("Meow."),),)),
        Rule("c++", ((Say("A language."),),)),
    )
    provider = Scripted(Script(((Say("no rule"),),), rules))
    finished = await end(provider, asked("hello", ANSWER, "the weather?"))
    assert isinstance(finished, Finished)
    assert finished.content == (ToolUse("call_2_1", "look"),)
    went_on = asked("hello", ANSWER, "the weather?", ANSWER, RESULT)
    assert await text(provider, went_on) == "It rains."
    assert await text(provider, asked("Cow")) == "Meow."
    assert await text(provider, asked("is C++ good?")) == "A language."
    assert await text(provider, asked("a cow")) == "no rule"


async def test_pieces_and_pace_can_be_set() -> None:
    events = await play(Scripted([[Say("x" * 100, pace_ms=0.1, pieces=10)]]), asked("hi"))
    assert [event.text for event in events if isinstance(event, TextPiece)] == ["x" * 10] * 10


async def test_malformed_arguments_are_passed_on_as_they_are() -> None:
    events = await play(Scripted([[Call("a", malformed='{"x": ')]]), asked("hi"))
    finished = check_shape(events)
    assert isinstance(finished, Finished)
    assert finished.content == (ToolUse("call_1_1", "a", {}, '{"x": '),)
    assert added_up(events)["tool_calls"][0]["args"] == '{"x": '


async def test_failures_end_the_answer() -> None:
    failing = Fail("rate_limited", "Slow down.", retryable=True, status=429, retry_after=2.5)
    events = await play(Scripted([[Say("a"), failing, Say("b")]]), asked("hi"))
    assert events == [
        Started("scripted"),
        TextPiece("a"),
        Failed("Slow down.", "rate_limited", True, 429, 2.5),
    ]
    cut = await end(Scripted([[Call("a"), Cut()]]), asked("hi"))
    assert isinstance(cut, Failed)
    assert (cut.code, cut.retryable) == ("cut_off", True)


async def test_a_reset_voids_what_was_streamed() -> None:
    turn = [Retry(2, 3, 0, "busy"), Say("wrong"), Call("a"), ResetStep("broke off"), Call("b")]
    events = await play(Scripted([turn]), asked("hi"))
    assert Retrying(2, 3, 0, "busy") in events
    assert Reset("broke off") in events
    assert events[events.index(Reset("broke off")) + 1] == Started("scripted")
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.content == (ToolUse("call_1_1", "b"),)
    pieces = [event for event in events if isinstance(event, CallPiece)]
    assert {piece.call for piece in pieces} == {0}


async def test_stop_reason_and_usage_can_be_scripted() -> None:
    finished = await end(
        Scripted([[Say("a"), Stop("max_tokens", Usage(7, 3)), Say("b")]]), asked("x")
    )
    assert isinstance(finished, Finished)
    assert (finished.stop_reason, finished.usage) == ("max_tokens", Usage(7, 3))
    assert finished.content == (Text("a"),)
    finished = await end(Scripted([Turn((Say("a"),), Usage(1, 2))]), asked("x"))
    assert isinstance(finished, Finished)
    assert (finished.usage, finished.cost) == (Usage(1, 2), 0)
    finished = await end(Scripted([[Say("word " * 40)]]), asked("y" * 400))
    assert isinstance(finished, Finished)
    assert finished.usage == Usage(101, 51)


async def test_a_gate_waits_for_its_file(tmp_path: Path) -> None:
    gate = tmp_path / "open"
    stream = Scripted([[Say("a"), Gate(str(gate)), Say("b")]]).stream(asked("hi"))
    async with asyncio.timeout(30):
        assert await anext(stream) == Started("scripted")
        assert await anext(stream) == TextPiece("a")
        after = asyncio.ensure_future(anext(stream))
        done, _ = await asyncio.wait([after], timeout=0.1)
        assert not done
        gate.touch()
        assert await after == TextPiece("b")


async def test_a_cancel_ends_a_paced_answer_at_once() -> None:
    stream = Scripted([[Say("a b", pace_ms=60_000)]]).stream(asked("hi"))
    await anext(stream)
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(30):
            await waiting


SAME = Script(
    (Turn((Think("hm"), Say("Hello", pace_ms=5), Call("list_dir", {"path": "src"}))),),
    (Rule("bye", (Turn((Stop("refusal"),)),)),),
    model="demo",
)


def test_a_script_is_read_from_json_and_toml(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(msgspec.json.encode(SAME))
    (tmp_path / "b.toml").write_text(
        """
        model = "demo"
        [[turns]]
        steps = [
          {do = "think", text = "hm"},
          {do = "say", text = "Hello", pace_ms = 5},
          {do = "call", name = "list_dir", input = {path = "src"}},
        ]
        [[rules]]
        when = "bye"
        turns = [{steps = [{do = "stop", reason = "refusal"}]}]
        """
    )
    assert load(tmp_path / "a.json") == SAME
    assert load(tmp_path / "b.toml") == SAME


async def test_a_list_of_turns_is_a_script_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[[{"do": "say", "text": "short"}]]')
    assert await text(Scripted(), asked("hi", model=str(tmp_path / "a.json"))) == "short"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"turns": [{"steps": [{"do": "say"}]}]}', "text"),
        ('{"turns": [{"steps": [{"do": "sing", "text": "a"}]}]}', "sing"),
        ('{"turns": [{"steps": [{"do": "say", "text": "a", "pase": 1}]}]}', "pase"),
        ('{"rules": [{"when": "/(/", "turns": []}]}', r"no regular expression"),
        ('{"turns": ', "truncated"),
        ("", "truncated"),
    ],
)
async def test_a_wrong_script_is_told_with_its_field(tmp_path: Path, body: str, words: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(body)
    with pytest.raises(Misconfigured, match=words):
        load(path)
    failed = await end(Scripted(), asked("hi", model=str(path)))
    assert isinstance(failed, Failed)
    assert failed.code == "unknown_model"
    assert words in failed.message
    assert "wrong.json" in failed.message


async def test_a_script_that_is_not_there_is_a_failure_not_an_exception() -> None:
    failed = await end(Scripted(), asked("hi", model="/nowhere/x.json"))
    assert isinstance(failed, Failed)
    assert "No such file" in failed.message


def test_reasoning_is_streamed_as_reasoning() -> None:
    async def run() -> list[Any]:
        return await play(Scripted([[Think("a b")]]), asked("x"))

    events = asyncio.run(run())
    assert [event.text for event in events if isinstance(event, ReasoningPiece)] == ["a", " b"]


async def test_thoughts_in_a_row_are_one_and_a_pause_says_nothing() -> None:
    finished = await end(Scripted([[Think("a"), Pause(1), Think("b"), Say("")]]), asked("x"))
    assert isinstance(finished, Finished)
    assert finished.content == (Reasoning("ab"),)
