"""An answer in a shape of the caller's own: a value that fits it comes back, or a reason why there is none."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import msgspec
import pydantic
import pytest

from bottega import NoOutput
from bottega.agents.agent import Agent
from bottega.agents.course import MOST_RETRIES
from bottega.agents.output import DEEPEST, Wanted, checked
from bottega.errors import BadUsage
from bottega.events import facts
from bottega.studio import Session, Studio
from bottega.studio.structured import schema_of
from tests.agents.test_types import HOUSE, call, say
from tests.processes import run

Scripted = Callable[..., str]

POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}


class Part(msgspec.Struct):
    name: str
    parts: "list[Part]" = []


@dataclass
class Place:
    town: str
    visited: list[date]


class Book(TypedDict):
    title: str
    year: NotRequired[int]


class Leaf(pydantic.BaseModel):
    size: int
    below: "list[Leaf]" = []


async def got(
    home: Path,
    folder: Path,
    model: str,
    shape: Any,
    *,
    flags: dict[str, Any] | None = None,
    **more: Any,
) -> tuple[Any, Session, list[Any]]:
    """The value of one prompt, its session, and the facts."""
    async with Studio(home, flags=flags, agents=HOUSE) as studio:
        mode = more.pop("mode", "allow")
        session = await studio.start(model=model, folder=folder, mode=mode)
        answer = session.prompt("go", schema=shape, **more)
        try:
            value: Any = await answer
        except NoOutput as problem:
            value = problem
        return value, session, [event.data for event in await session.facts()]


def end_of(log: list[Any]) -> facts.ExchangeResponse:
    (end,) = [each for each in log if isinstance(each, facts.ExchangeResponse)]
    return end


def told(log: list[Any], words: str) -> list[str]:
    return [each.after for each in log if isinstance(each, facts.Aside) and words in each.after]


@pytest.mark.parametrize(
    ("shape", "written", "value"),
    [
        (POINT, '{"x": 1, "y": 2}', {"x": 1, "y": 2}),
        (Part, '{"name": "a", "parts": [{"name": "b"}]}', Part("a", [Part("b")])),
        (
            Place,
            '{"town": "Rome", "visited": ["2020-01-02"]}',
            Place("Rome", [date(2020, 1, 2)]),
        ),
        (Book, '{"title": "Ulysses"}', {"title": "Ulysses"}),
        (Leaf, '{"size": 1, "below": [{"size": 2}]}', Leaf(size=1, below=[Leaf(size=2)])),
        (list[Part], '[{"name": "a"}, {"name": "b"}]', [Part("a"), Part("b")]),
        (list[int], "[1, 2]", [1, 2]),
        (int, "7", 7),
        (str, '"a word"', "a word"),
        (bool, "false", False),
        (int | None, "null", None),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '["b"]', ["b"]),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_a_value_comes_back_in_the_shape_that_was_asked_for(
    home: Path, folder: Path, scripted: Scripted, shape: Any, written: str, value: Any
) -> None:
    found, _, log = await got(home, folder, scripted([say(written)]), shape)
    assert found == value
    assert type(found) is type(value)
    end = end_of(log)
    assert (end.success, end.repairs) == (True, 0)
    assert msgspec.json.decode(end.final_response) == end.output == json.loads(written)
    (form,) = told(log, "JSON schema")
    assert json.dumps(schema_of(shape), ensure_ascii=False) in form


async def test_an_answer_that_does_not_fit_is_sent_back_with_what_is_wrong(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    turns = [[say('{"x": "one"}')], [say("Sorry! Here it is.")], [say('{"x": 1, "y": 2}')]]
    found, _, log = await got(home, folder, scripted(*turns), POINT)
    assert found == {"x": 1, "y": 2}
    first, second = told(log, "does not fit")
    assert "y is missing" in first
    assert "x: value is not of type" in first
    assert "it is no JSON" in second
    assert (end_of(log).repairs, end_of(log).iterations) == (2, 3)


async def test_after_three_repairs_there_is_an_end_with_its_reason(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    found, _, log = await got(home, folder, scripted([say("[1, 2]")], after="repeat"), POINT)
    assert isinstance(found, NoOutput)
    assert "the answer: value is not of type" in found.message
    assert "'invalid_output' after 3 repairs" in found.message
    end = end_of(log)
    assert (end.success, end.completion_reason, end.stop_reason, end.output) == (
        False,
        "invalid_output",
        "end_turn",
        None,
    )
    assert (end.repairs, end.iterations) == (MOST_RETRIES, MOST_RETRIES + 1)
    (error,) = [each for each in log if isinstance(each, facts.ErrorMessage)]
    assert error.code == "invalid_output"


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"x": 1, "y": 2}', True),
        ('\n  {"x": 1,\n   "y": 2}\n\n', True),
        ('```json\n{"x": 1, "y": 2}\n```', True),
        ('```\n{"x": 1, "y": 2}\n```\n', True),
        ('Here it is:\n```json\n{"x": 1, "y": 2}\n```', False),
        ('{"x": 1, "y": 2} I hope it helps.', False),
        ('{"x": 1, "y": 2}{"x": 1, "y": 2}', False),
        ('```json\n{"x": 1, "y": 2}\n```\n```json\n{"x": 1, "y": 2}\n```', False),
        ('{"x": 1, "y": 2', False),
        ("{'x': 1, 'y': 2}", False),
        ("", False),
    ],
)
def test_a_fence_around_the_value_is_taken_off_and_prose_is_not(text: str, fits: bool) -> None:
    assert (not Wanted(POINT).read(text).errors) is fits


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "-Infinity",
        "1e999",
        "[1e999]",
        "9" * 5_000,
        r'"\ud800"',
        "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2),
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_what_cannot_be_kept_is_no_value_whatever_the_schema(text: str) -> None:
    found = Wanted({}).read(text)
    assert found.errors
    assert len(found.remark) < 500


@pytest.mark.parametrize(
    "text",
    ["12345678901234567890123", "1e300", "[" * DEEPEST + "]" * DEEPEST, '"caf\u00e9 \U0001f600"'],
    ids=lambda text: text[:12],
)
async def test_what_is_large_but_can_be_kept_comes_back_whole(
    home: Path, folder: Path, scripted: Scripted, text: str
) -> None:
    found, session, _ = await got(home, folder, scripted([say(text)]), {})
    assert found == json.loads(text)
    async with Studio(home) as studio:  # and can be read again
        log = await studio.find(session.id).facts()
    assert end_of([event.data for event in log]).output == found


def test_what_no_screen_should_be_sent_is_written_as_json_escapes() -> None:
    value = "a\x9b31m \u202e é"
    found = Wanted({}).read(json.dumps(value))
    assert found.written.isprintable()
    assert "é" in found.written
    assert json.loads(found.written) == value


async def test_tools_run_first_and_the_form_is_told_once(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    look = [say("I look."), call("read_file", file_path="notes.txt")]
    found, _, log = await got(home, folder, scripted(look, look, [say('{"x": 1, "y": 2}')]), POINT)
    assert found == {"x": 1, "y": 2}
    assert len([each for each in log if isinstance(each, facts.ToolResultFact)]) == 2
    assert len(told(log, "must fit")) == 1
    assert not told(log, "does not fit")


async def test_a_signal_beside_calls_is_no_end_while_there_is_no_value(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    done = [say("Done.\nTASK_COMPLETE\n"), call("read_file", file_path="notes.txt")]
    model = scripted(done, [say('{"x": 1, "y": 2}\nTASK_COMPLETE')])
    found, _, log = await got(home, folder, model, POINT)
    assert found == {"x": 1, "y": 2}
    assert (end_of(log).completion_reason, end_of(log).repairs) == ("task_complete_signal", 1)


async def test_each_prompt_is_told_its_own_form_and_a_plain_one_none(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([say("1")], [say("One.")], [say("2")])
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        first = await session.prompt("a number", schema=int)
        plain = await session.prompt("in words")
        second = await session.prompt("another", schema=int)
        log = [event.data for event in await session.facts()]
    assert (first, plain.final_response, plain.output, second) == (1, "One.", None, 2)
    assert len(told(log, "must fit")) == 2


PROMPT = """
    import asyncio, sys
    from bottega.studio import Studio
    async def main():
        async with Studio(sys.argv[1]) as studio:
            session = await studio.start(model=sys.argv[2], folder=sys.argv[3])
            await session.prompt("go", schema={"type": "integer"})
    asyncio.run(main())
"""


async def test_after_a_kill_the_form_is_not_told_again_and_repairs_go_on_counting(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    look = [call("read_file", file_path="notes.txt")]
    model = scripted([say("one")], [say("two")], look, [say("three")], [say("4")])
    killed = run(PROMPT, home, model, folder, failpoints="tool.after_intent=kill")
    assert killed.returncode == -9, killed.stderr
    async with Studio(home, on_crash="resume") as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        log = [event.data for event in await session.facts()]
    end = end_of(log)
    assert (end.success, end.output, end.repairs) == (True, 4, 3)
    assert len(told(log, "must fit")) == 1


FENCE = '```tool_call\n{"name": "read_file", "arguments": {"file_path": "notes.txt"}}\n```'
CALL = {"name": "read_file", "arguments": {"file_path": "notes.txt"}}


@pytest.mark.parametrize(
    "value",
    [
        CALL,
        {"tool": "read_file", "tool_input": {"file_path": "notes.txt"}},
        {"function": {"name": "read_file", "arguments": "{}"}},
        [CALL],
    ],
    ids=["call", "tool", "function", "list"],
)
async def test_in_text_mode_a_value_that_fits_is_the_answer_whatever_call_it_looks_like(
    home: Path, folder: Path, scripted: Scripted, value: Any
) -> None:
    model = scripted([say(f"I look.\n\n{FENCE}\n")], [say(json.dumps(value))])
    shape = {"type": ["object", "array"]}
    found, _, log = await got(home, folder, model, shape, flags={"text_calls": [model]})
    assert found == value
    assert end_of(log).repairs == 0
    assert len([each for each in log if isinstance(each, facts.ToolIntent)]) == 1
    assert not told(log, "Nothing was run")


async def test_in_text_mode_json_that_does_not_fit_is_mended_and_a_foreign_call_is_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    near = '{"tool": "read_file", "tool_input": {"file_path": "notes.txt"}}'
    foreign = '<function_calls><invoke name="read_file"></invoke></function_calls>'
    model = scripted([say(near)], [say(foreign)], [say('{"x": 1, "y": 2}')])
    found, _, log = await got(home, folder, model, POINT, flags={"text_calls": [model]})
    assert found == {"x": 1, "y": 2}
    assert end_of(log).repairs == 1
    assert len(told(log, "does not fit")) == 1
    assert len(told(log, "Nothing was run")) == 1
    assert not [each for each in log if isinstance(each, facts.ToolIntent)]


async def test_a_thought_before_the_value_is_no_part_of_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([say('THOUGHT: Easy.\n\nANSWER: {"x": 1, "y": 2}')])
    found, _, log = await got(home, folder, model, POINT, agent="thinker")
    assert found == {"x": 1, "y": 2}
    assert end_of(log).final_response == '{"x":1,"y":2}'


async def test_a_value_in_plan_mode_is_no_plan_to_accept(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([say('{"x": 1, "y": 2}')])
    found, _, log = await got(home, folder, model, POINT, mode="plan")
    assert found == {"x": 1, "y": 2}
    assert not [each for each in log if isinstance(each, facts.ApprovalRequired)]


@pytest.mark.parametrize(
    ("stop", "reason"), [("max_tokens", "output_limit_reached"), ("refusal", "refused")]
)
async def test_an_answer_that_broke_off_is_no_value_though_it_looks_like_one(
    home: Path, folder: Path, scripted: Scripted, stop: str, reason: str
) -> None:
    model = scripted([say("12"), {"do": "stop", "reason": stop}])
    found, _, log = await got(home, folder, model, int)
    assert isinstance(found, NoOutput)
    assert reason in found.message
    assert end_of(log).output is None


async def test_a_failure_of_the_provider_is_what_the_caller_is_told(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([{"do": "fail", "message": "The key was refused.", "code": "bad_key"}])
    found, _, _ = await got(home, folder, model, int)
    assert isinstance(found, NoOutput)
    assert found.message.startswith("The key was refused.")


async def test_what_fits_the_schema_but_not_the_type_is_told_as_such(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    class Even(pydantic.BaseModel):
        n: int

        @pydantic.field_validator("n")
        @classmethod
        def _even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("odd")
            return n

    found, _, _ = await got(home, folder, scripted([say('{"n": 3}')]), Even)
    assert isinstance(found, NoOutput)
    assert "not the type" in found.message
    found, _, _ = await got(home, folder, scripted([say('"soon"')]), date)
    assert isinstance(found, NoOutput)


NO_SHAPES: list[Any] = [
    {"type": "strange"},
    {"type": "object", "properties": 3},
    {"pattern": "("},
    {"$ref": "https://example.org/schema"},
    {"$ref": "#/$defs/missing"},
    {"const": float("nan")},
    {"enum": {1, 2}},
    {"default": object()},
    object,
    "a word",
    list[Leaf],
]


async def test_a_shape_without_a_valid_schema_is_refused_before_anything_is_stored(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([say("1")]), folder=folder)
        for shape in NO_SHAPES:
            with pytest.raises(BadUsage, match="schema"):
                session.prompt("go", schema=shape)
        assert await session.facts() == []


async def test_an_agent_of_a_single_pass_gives_no_values_and_says_so(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=scripted([say("1")]), folder=folder, agent="writer")
        with pytest.raises(BadUsage, match="'writer' writes files in a single pass"):
            session.prompt("go", schema=int)
        assert await session.facts() == []
        assert await session.prompt("go", schema=int, agent="thinker") == 1


async def test_a_prompt_whose_agent_became_a_single_pass_while_it_waited_ends_with_a_reason(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=scripted([say("1")]), folder=folder)
        answer = session.prompt("go", schema=int)
        await session.change_agent("writer")
        with pytest.raises(NoOutput, match="single pass"):
            await answer


def test_any_json_schema_is_taken_for_an_agent_that_answers() -> None:
    for schema in ({}, {"type": "null"}, POINT, {"not": {}}):
        assert checked(schema, Agent()) is schema
