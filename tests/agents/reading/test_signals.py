"""A finished task is said on a line of its own, and the line is not shown."""

import pytest

from tests.agents.reading.corpus import signals
from tests.agents.reading.corpus.case import fence
from tests.agents.reading.parts import signalled


def test_a_signal_is_heard_and_taken_off() -> None:
    for words, case in signals.SAID.items():
        assert signalled(case.text) == (True, case.left), words


def test_words_about_a_signal_are_only_words() -> None:
    for words, case in signals.TALKED_ABOUT.items():
        assert signalled(case.text) == (False, case.text), words


@pytest.mark.requirement("T23")
@pytest.mark.parametrize("change", [str.upper, str.lower, str.title, str.swapcase])
@pytest.mark.parametrize(
    "signal",
    [
        "TASK_COMPLETE",
        "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
        "<task_complete>",
        "<!-- TASK COMPLETE -->",
    ],
)
def test_the_four_signals_are_known_in_any_case(signal: str, change: object) -> None:
    assert callable(change)
    said = str(change(signal))
    assert signalled(f"All is written.\n\n{said}\n") == (True, "All is written.")
    assert signalled(f"I do not say {said} yet.") == (False, f"I do not say {said} yet.")


def test_calls_and_thoughts_are_left_alone() -> None:
    text = f"THOUGHT: so\n\n{fence()}"
    assert signalled(f"{text}TASK_COMPLETE") == (True, text.rstrip())
