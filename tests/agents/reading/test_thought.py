"""A thought is taken out of an answer, and nothing else with it."""

import pytest

from bottega.agents.reading.answer import Wanted, read
from bottega.agents.reading.thought import THOUGHT_FORM
from tests.agents.reading.corpus.case import READ, fence, tag
from tests.agents.reading.parts import extracted

ALL = Wanted(calls=True, signals=True, thoughts=True)


@pytest.mark.parametrize(
    ("text", "thought", "rest"),
    [
        ("THOUGHT: I look.\n\nDone.", "I look.", "Done."),
        ("Thought: I look.\n", "I look.", ""),
        ("thought: I look.", "I look.", ""),
        ("THOUGHT:\nI look.\n\nDone.", "I look.", "Done."),
        ("**Thought:** I look.\n\nDone.", "I look.", "Done."),
        ("**Thought**: I look.\n\nDone.", "I look.", "Done."),
        ("*THOUGHT:* I look.\n\nDone.", "I look.", "Done."),
        ("__Thought__: I look.\n\nDone.", "I look.", "Done."),
        ("## Thought\n\nI look.\n\nDone.", "I look.", "Done."),
        ("### Thought: I look.\n\nDone.", "I look.", "Done."),
        ("**Thought**\nI look.\n\nDone.", "I look.", "Done."),
        ("Thought 1: I look.\n\nDone.", "I look.", "Done."),
        ("THOUGHT: one\ntwo\nthree\n\nDone.", "one\ntwo\nthree", "Done."),
        ("Hello.\n\nTHOUGHT: I look.\n\nDone.", "I look.", "Hello.\n\nDone."),
        ("THOUGHT: a\nACTION:\nDone.", "a", "Done."),
        ("THOUGHT: a\nANSWER: 42", "a", "42"),
        ("THOUGHT: a\n\nANSWER: 42\nand more.\n", "a", "42\nand more.\n"),
        ("THOUGHT: a\n\n**Answer:** 42", "a", "42"),
        ("THOUGHT: a\nFINAL ANSWER: 42\n", "a", "42\n"),
        ("THOUGHT: a\n\n## Answer\n\n42", "a", "42"),
        ("THOUGHT: a\nOBSERVATION: none\n", "a", "OBSERVATION: none\n"),
        ("THOUGHT: a\nEXPLANATION: because\n", "a", "EXPLANATION: because\n"),
        ("THOUGHT: a\nAction: search\nAction Input: x", "a", "Action: search\nAction Input: x"),
        ("THOUGHT: a\n\nTHOUGHT: b\n\nDone.", "a\n\nb", "Done."),
        ("THOUGHT: a\nTHOUGHT: b\nANSWER: c", "a\n\nb", "c"),
        (f"THOUGHT: a\n{READ}", "a", READ),
        (f"THOUGHT: a\n\n{READ}", "a", READ),
        ('THOUGHT: a\n{\n  "x": 1\n}', "a", '{\n  "x": 1\n}'),
        (f"THOUGHT: a\n[{READ}]", "a", f"[{READ}]"),
        (
            "THOUGHT: so\n```js\nlet a\n\nlet b\n```\nand so\n\nDone.",
            "so\n```js\nlet a\n\nlet b\n```\nand so",
            "Done.",
        ),
        ("THOUGHT: a\r\nb\r\n\r\nDone.\r\n", "a\nb", "Done.\r\n"),
        ("THOUGHT: a {b} [c](d)\n\nx[0] {y}", "a {b} [c](d)", "x[0] {y}"),
        ("THOUGHT:", "", ""),
    ],
)
def test_a_thought_ends_where_the_form_says(text: str, thought: str, rest: str) -> None:
    assert extracted(text) == (thought, rest)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I had a THOUGHT: it was gone.",
        "Thoughts: many.",
        "A thought",
        "Thought is free.",
        "**Thought** is free.",
        "THOUGHTFUL: yes",
        "```\nTHOUGHT: x\n```\n",
        "> THOUGHT: x\n",
        "    THOUGHT: x\n",
        "`THOUGHT: x`",
        "- THOUGHT: x\n",
        'He said "\nTHOUGHT: x\n"',
        "<!--\nTHOUGHT: x\n-->",
        "ACTION:\nrun",
    ],
)
def test_what_is_no_thought_stays_to_the_last_byte(text: str) -> None:
    assert extracted(text) == ("", text)


@pytest.mark.parametrize("form", [READ, fence(), tag(), f"ACTION:\n{fence()}", f"\n{READ}\n"])
def test_a_thought_before_a_call_is_taken_out_and_the_call_is_made(form: str) -> None:
    found = read(f"THOUGHT: I have to read it.\n{form}", "c", ALL)
    assert found.thought == "I have to read it."
    assert [(use.name, use.input) for use in found.calls] == [("read_file", {"path": "a.py"})]
    assert found.shown == ""


def test_a_signal_ends_a_thought() -> None:
    found = read("THOUGHT: all is done\nTASK_COMPLETE\nFine.", "c", ALL)
    assert (found.thought, found.complete, found.shown) == ("all is done", True, "Fine.")


def test_a_call_that_is_only_thought_of_is_not_made() -> None:
    found = read(f"THOUGHT: I could do {READ} or not.\n\nNo.", "c", ALL)
    assert found.calls == ()
    assert found.shown == "No."


def test_the_form_that_the_model_is_told_is_read_so() -> None:
    example = THOUGHT_FORM.partition("For example:\n\n")[2]
    thought, rest = extracted(example)
    assert thought == "The user wants another port. I have to see the settings first."
    assert rest == "The port is now 8080."


def test_an_answer_that_begins_with_its_label_is_shown_without_it() -> None:
    found = read("ANSWER: It is done.\n", "", Wanted(thoughts=True))
    assert (found.thought, found.shown) == ("", "It is done.\n")
    later = "It is so.\nANSWER: no.\n"
    assert read(later, "", Wanted(thoughts=True)).shown == later
