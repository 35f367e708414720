"""Over the whole corpus: nothing wrong is run, what is right is found, and the rest stays as it is."""

import pytest

from bottega.agents.reading.answer import Reading, Wanted, read
from bottega.agents.reading.text_calls import told, told_foreign
from tests.agents.reading.corpus import CORPUS
from tests.agents.reading.corpus.case import Case

WANTED = Wanted(calls=True, signals=True)


def run(found: Reading) -> list[tuple[str, object]]:
    return [(use.name, use.input) for use in found.calls if not use.malformed]


@pytest.mark.parametrize("words", CORPUS)
def test_each_answer_is_read_as_it_was_meant(words: str) -> None:
    case = CORPUS[words]
    found = read(case.text, "call_", WANTED)
    assert run(found) == list(case.calls)
    assert tuple(use.name for use in found.calls if use.malformed) == case.malformed
    assert found.shown == case.left
    assert bool(found.foreign) == case.foreign, found.foreign
    assert found.complete == case.complete
    for use in found.calls:
        assert not use.malformed or "This call was not run" in told(use)
        assert len(use.malformed) < 2_100
    if found.foreign:
        assert "tool_call" in told_foreign(found.foreign)


def test_nothing_wrong_is_run_and_what_is_right_is_found() -> None:
    readings = [(case, run(read(case.text, "c", WANTED))) for case in CORPUS.values()]
    wrong = sum(max(len(made) - _matches(case, made), 0) for case, made in readings)
    right = sum(_matches(case, made) for case, made in readings)
    meant = sum(len(case.calls) for case in CORPUS.values())
    found = sum(list(case.calls) == made for case, made in readings if case.calls)
    answers = sum(bool(case.calls) for case in CORPUS.values())
    print(
        f"{len(CORPUS)} answers: {wrong} wrong executions, "
        f"{right} of {meant} calls found, {found} of {answers} answers with calls read whole"
    )
    assert len(CORPUS) >= 300
    assert wrong == 0
    assert right >= 0.99 * meant
    assert found >= 0.99 * answers


def _matches(case: Case, made: list[tuple[str, object]]) -> int:
    return sum(one == other for one, other in zip(case.calls, made, strict=False))
