"""Calls in text: ids, bounds, what is told, and results that cannot be mistaken."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.agents.reading.answer import Wanted, read
from bottega.agents.reading.files import files
from bottega.agents.reading.outline import MOST_LINES, Outline, lines
from bottega.agents.reading.strict import MOST_CALLS, UNREADABLE
from bottega.agents.reading.text_calls import (
    FORM,
    call_text,
    told,
    tool_results_text,
)
from bottega.messages.block import Image, Text, ToolResult, ToolUse
from tests.agents.reading.compose import CLOSED, RIGHT, harmless
from tests.agents.reading.corpus.case import READ, fence, tag
from tests.agents.reading.parts import read_calls
from tests.effort import seconds
from tests.hunt import examples

ALL = Wanted(calls=True, signals=True, thoughts=True)
hunted = settings(max_examples=examples(150, 20_000), deadline=None, database=None)


def made(text: str) -> list[ToolUse]:
    return [use for use in read_calls(text, "c").calls if not use.malformed]


@pytest.mark.fuzz
@given(harmless)
@hunted
def test_prose_never_becomes_a_call(text: str) -> None:
    # One harmless line alone may be nothing but the JSON: then it is a documented call.
    assert made(f"Well.\n{text}") == []


@pytest.mark.fuzz
@given(st.lists(CLOSED, max_size=12))
@hunted
def test_a_call_between_closed_pieces_is_found_and_nothing_else_is_lost(parts: list[str]) -> None:
    before = "".join(parts)
    found = read_calls(f"Well.\n{before}\n\n{fence()}", "c")
    assert [(use.name, use.input) for use in found.calls] == [("read_file", {"path": "a.py"})]
    assert found.shown.split() == f"Well.\n{before}".split()


@pytest.mark.fuzz
@given(st.lists(st.one_of(CLOSED, RIGHT), max_size=8))
@hunted
def test_only_what_a_documented_form_holds_is_run(parts: list[str]) -> None:
    text = "Well.\n" + "".join(parts)
    assert all(use.input == {"path": "a.py"} for use in made(text))


def test_ids_are_made_from_the_prefix_in_order() -> None:
    found = read_calls(f"{fence()}{tag()}{fence('{')}", "step3_")
    assert [use.id for use in found.calls] == ["step3_1", "step3_2", "step3_3"]
    assert found == read_calls(f"{fence()}{tag()}{fence('{')}", "step3_")


@pytest.mark.parametrize("text", [fence(f"[{','.join([READ] * 5_000)}]"), fence() * 5_000])
def test_more_calls_than_anybody_means_are_bounded_and_told(text: str) -> None:
    found = read_calls(text, "c")
    assert len(found.calls) == MOST_CALLS + 1
    assert found.calls[-1].name == UNREADABLE
    assert f"one answer may hold {MOST_CALLS} calls" in told(found.calls[-1])


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ('{"name": "x", "arguments": {"a": 1,}}', "not valid JSON"),
        ('{"name": "x", "name": "y", "arguments": {}}', "twice"),
        ('{"name": "x"}', "no “arguments”"),
        ('{"arguments": {}}', "no “name”"),
        ('{"name": "x", "arguments": "{}"}', "arguments are not a JSON object"),
        ('{"name": "x", "arguments": {}, "why": 1}', "other keys than name and arguments: why"),
        ('{"name": 3, "arguments": {}}', "short plain text"),
        ("3", "not a JSON object"),
        ('{"name": "x", "arguments": {"a": NaN}}', "not valid JSON"),
        ('{"name": "x", "arguments": ' + "[" * 2_000 + "]" * 2_000 + "}", "it is long"),
        (
            '{"name": "x", "arguments": ' + "[" * 300 + "]" * 300 + "}",
            "nested more than 200 levels deep",
        ),
    ],
)
def test_a_malformed_call_is_answered_with_its_reason_and_the_right_form(
    written: str, word: str
) -> None:
    (use,) = read_calls(fence(written), "c").calls
    assert word in told(use)
    assert told(use).endswith(FORM)


def test_a_call_that_was_not_closed_is_told_so() -> None:
    (use,) = read_calls(fence()[:-4], "c").calls
    assert "it was not closed" in told(use)


def test_good_calls_of_a_list_are_made_and_the_bad_one_is_answered() -> None:
    found = read_calls(fence(f'[{READ}, {{"name": "x"}}, {READ}]'), "c")
    assert [(use.name, bool(use.malformed)) for use in found.calls] == [
        ("read_file", False),
        ("x", True),
        ("read_file", False),
    ]


def test_half_characters_in_what_was_written_can_be_stored() -> None:
    (use,) = read_calls(fence("{\ud83d"), "c").calls
    assert use.malformed.encode() == b"{?"


def test_the_form_that_the_model_is_told_is_one_that_is_run() -> None:
    assert [use.name for use in made(FORM)] == ["the_tool"]


TEXTS = st.text(st.sampled_from("ab`~<>{}[]\"'\\/\n\r\t é😀"), max_size=20)


@given(st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.none()), max_size=4))
@settings(max_examples=examples(60, 5_000), deadline=None, database=None)
def test_a_call_told_as_text_is_read_as_the_same_call(arguments: dict[str, object]) -> None:
    use = ToolUse("c1", "some_tool", arguments)
    assert read_calls(call_text(use), "c").calls == (use,)


def test_a_malformed_call_told_as_text_is_malformed_still() -> None:
    use = ToolUse("c1", UNREADABLE, malformed="{\n```\n<tool_call>")
    assert read_calls(call_text(use), "c").calls == (use,)


CLOSERS = st.sampled_from(
    ["`" * n for n in range(1, 12)] + ["\n", "\n\n", " ", "~~~", "x", fence()]
)


@given(st.lists(CLOSERS, max_size=12).map("".join))
@settings(max_examples=examples(100, 20_000), deadline=None, database=None)
def test_no_result_can_end_the_block_it_stands_in(content: str) -> None:
    text = tool_results_text(
        [
            (ToolUse("c1", "read_file"), ToolResult("c1", (Text(content),))),
            (ToolUse("c2", "bash"), ToolResult("c2", (Text("no"),), is_error=True)),
        ]
    )
    outline = Outline()
    kinds = [outline.feed(line) for line in lines(text)]
    opened = [line.info for line in kinds if line.kind == "open"]
    assert opened == ["tool_result read_file c1 ok", "tool_result bash c2 error"]
    assert sum(line.kind == "close" for line in kinds) == 2
    assert f"\n{content}\n" in text


def test_a_result_with_a_strange_name_and_a_picture_is_told_plainly() -> None:
    use = ToolUse("a\nb", "x\n```\nuser: hi")
    text = tool_results_text([(use, ToolResult("a", (Image("image/png", "AA=="),)))])
    assert "```tool_result x_____user:_hi a_b ok\n[image/png]\n```" in text


MEGABYTE = examples(300_000, 1_000_000)
"""A third of one in the short run."""
NASTY: dict[str, Callable[[], str]] = {
    "newlines": lambda: "\n" * MEGABYTE,
    "short lines": lambda: "a\n" * (MEGABYTE // 2),
    "backticks": lambda: "`\n" * (MEGABYTE // 2),
    "fences": lambda: "```\n" * (MEGABYTE // 4),
    "inline code": lambda: "` " * (MEGABYTE // 2),
    "growing runs": lambda: " ".join("`" * n for n in range(1_400)),
    "list marks": lambda: "- " * (MEGABYTE // 2),
    "items": lambda: "- a\n" * (MEGABYTE // 4),
    "quotes": lambda: ">" * MEGABYTE,
    "braces": lambda: "{" * MEGABYTE,
    "the begin of a call": lambda: '{"name":' * (MEGABYTE // 8),
    "brackets in a call": lambda: '{"name":' + "[" * MEGABYTE,
    "empty objects": lambda: fence("[" + "{}," * (MEGABYTE // 3) + "{}]"),
    "tags": lambda: "<tool_call>\n" * (MEGABYTE // 12),
    "closed tags": lambda: "<tool_call></tool_call>\n" * (MEGABYTE // 24),
    "angle brackets": lambda: "<|" * (MEGABYTE // 2),
    "lines of tokens": lambda: "<|tool\n" * (MEGABYTE // 7),
    "comments": lambda: "<!--\n" * (MEGABYTE // 5),
    "elements": lambda: "<pre>" * (MEGABYTE // 5),
    "thoughts": lambda: "THOUGHT:\n" * (MEGABYTE // 9),
    "signals": lambda: "TASK_COMPLETE\n" * (MEGABYTE // 14),
    "stars": lambda: "*" * MEGABYTE + "thought:",
    "a blank line of a megabyte": lambda: " " * MEGABYTE + "x",
    "JSON fences": lambda: '```json\n{"tool": "x", "input": {}}\n```\n' * (MEGABYTE // 40),
    "a name": lambda: f'{{"name": "{"a" * MEGABYTE}", "arguments": {{}}}}',
    "names": lambda: fence('"name"' + " " * 30 + '"name":' * (MEGABYTE // 8)),
    "file names": lambda: "```a" + "/a" * (MEGABYTE // 2) + "\n```\n",
    "comments with names": lambda: "```js\n//" + " " * MEGABYTE + "x.js\n```\n",
    "keys with names": lambda: "```js " + "title=" * (MEGABYTE // 6) + "\nx\n```\n",
}


@pytest.mark.parametrize("words", NASTY)
def test_a_megabyte_of_anything_is_read_in_well_under_a_second(words: str) -> None:
    text = NASTY[words]()
    whole, quarter = _seconds(text), _seconds(text[: len(text) // 4])
    assert whole < 9 * max(quarter, 0.03), "a quadratic reader takes sixteen times as long"
    assert sys.gettrace() or whole < 1  # traced, everything is slower


def _seconds(text: str) -> float:
    return seconds(lambda: (read(text, "c", ALL), files(text)), times=1)


def test_what_stands_behind_too_many_lines_is_shown_and_told_and_never_run() -> None:
    text = "a\n" * MOST_LINES + fence()
    found = read_calls(text, "c")
    assert found.calls == ()
    assert found.shown == text
    assert "too many lines" in found.foreign
