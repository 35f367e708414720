"""What is shown while an answer is written is what is shown in the end."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.agents.reading.answer import Reading, Wanted, read
from bottega.agents.reading.shown import Shown
from tests.agents.reading.compose import anything, cut
from tests.agents.reading.corpus import CORPUS
from tests.agents.reading.corpus.case import READ, fence, tag
from tests.hunt import examples

ALL = Wanted(calls=True, signals=True, thoughts=True)
KINDS = [Wanted(*flags) for flags in itertools.product((False, True), repeat=3)]


def streamed(pieces: list[str], wanted: Wanted = ALL) -> tuple[str, Reading]:
    shown = Shown(wanted)
    text = "".join(map(shown.feed, pieces)) + shown.rest()
    return text, shown.reading()


@pytest.mark.parametrize("step", [1, 7, 61])
def test_every_answer_of_the_corpus_is_shown_alike_piece_by_piece(step: int) -> None:
    for words, case in CORPUS.items():
        text = case.text
        whole = read(text, wanted=ALL)
        size = step if len(text) < 5_000 else 4_000 + step
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert streamed(pieces) == (whole.shown, whole), words


@pytest.mark.fuzz
@given(st.data(), st.sampled_from(KINDS))
@settings(max_examples=examples(200, 50_000), deadline=None, database=None)
def test_any_split_of_any_answer_is_shown_alike(drawn: st.DataObject, wanted: Wanted) -> None:
    text = drawn.draw(anything)
    whole = read(text, wanted=wanted)
    shown, found = streamed(drawn.draw(cut(text)), wanted)
    assert shown == whole.shown
    assert found == whole


@pytest.mark.parametrize(
    ("said", "at_once"),
    [
        ("A long sentence that is not over", "A long sentence that is not over"),
        ("Answering", "Answering"),
        ("`code` first", "`code` first"),
        ("[a link](x)", "[a link](x)"),
        ("{1, 2} is a set", "{1, 2} is a set"),
        ("- an item", "- an item"),
        ("> a quo", "> a quo"),
        ("TASK_COMPLETE is a", "TASK_COMPLETE is a"),
        ("```js\nlet a = {", "```js\nlet a = {"),
        ("<pre>\nTASK_COM", "<pre>\nTASK_COM"),
        ("TASK_COM", ""),
        ("One.\nTASK_COMPLETE", "One."),
        ("One.\n\n``", "One."),
        ("One.\n\n```tool_ca", "One."),
        ("One.\n\n" + fence()[:-4], "One."),
        ("One.\n<tool", "One."),
        ("One.\n" + tag()[:-2], "One."),
        ("THOUGHT: I must", ""),
        (READ[:20], ""),
        (f"\n{READ}\n", ""),
        (f"{READ}\n\nand", ""),
    ],
)
def test_words_flow_at_once_and_what_may_be_more_waits(said: str, at_once: str) -> None:
    assert "".join(map(Shown(ALL).feed, said)) == at_once


def test_a_person_never_sees_a_piece_of_a_call() -> None:
    for form in (fence(), tag(), READ):
        for end in range(len(form) + 1):
            shown, _ = streamed(list(form[:end]), ALL)
            assert "read_file" not in shown


def test_a_megabyte_by_single_characters_is_read_in_time_that_grows_with_it() -> None:
    shown = Shown(ALL)
    text = "word `x` " * 30_000
    assert "".join(map(shown.feed, text)) + shown.rest() == text
