"""How a run ends: by a signal, by having nothing to do, never while its last calls had errors, and always once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.agents.course import MOST_RETRIES
from tests.agents.test_types import call, of, ran, say

Scripted = Callable[..., str]


@pytest.mark.requirement("T19", "T23", "C5")
@pytest.mark.parametrize(
    "signal",
    [
        "TASK_COMPLETE",
        "task_complete",
        "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
        "<task_complete>",
        "<!-- TASK COMPLETE -->",
    ],
)
async def test_a_signal_on_a_line_of_its_own_ends_the_run_and_is_not_shown(
    home: Path, folder: Path, scripted: Scripted, signal: str
) -> None:
    end, events, session = await ran(home, folder, scripted([say(f"It is made.\n\n{signal}\n")]))
    assert (end.success, end.completion_reason) == (True, "task_complete_signal")
    assert end.final_response == "It is made."
    shown = "".join(delta.text for delta in of(events, "text_delta"))
    assert signal not in shown
    assert shown.strip() == "It is made."


@pytest.mark.requirement("T19")
async def test_words_about_a_signal_are_no_signal(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    text = (
        "I am not going to say TASK_COMPLETE yet.\n\n> TASK_COMPLETE\n\n```\nTASK_COMPLETE\n```\n"
    )
    end, _, _ = await ran(home, folder, scripted([say(text)]))
    assert (end.completion_reason, end.final_response) == ("no_more_actions", text.strip())


async def test_the_calls_of_an_answer_run_though_it_says_that_all_is_done(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    steps = [say("Written.\nTASK_COMPLETE\n"), call("write_file", file_path="a", content="x")]
    end, events, _ = await ran(home, folder, scripted(steps, [say("never")]))
    assert (folder / "a").read_text() == "x"
    assert (end.completion_reason, end.iterations) == ("task_complete_signal", 1)
    assert end.final_response == "Written."


@pytest.mark.requirement("C5")
async def test_a_run_is_not_complete_while_its_calls_had_errors(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    wrong = [say("Read.\nTASK_COMPLETE\n"), call("read_file", file_path="missing")]
    right = [say("Made.\nTASK_COMPLETE\n"), call("write_file", file_path="a", content="x")]
    end, events, _ = await ran(home, folder, scripted(wrong, right))
    assert (end.success, end.completion_reason, end.iterations) == (
        True,
        "task_complete_signal",
        2,
    )
    assert any("had errors" in aside.after for aside in of(events, "aside"))


async def test_an_agent_that_insists_is_believed_after_three_more_tries_but_not_called_a_success(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    turns: list[list[dict[str, Any]]] = [
        [say("Read.\nTASK_COMPLETE\n"), call("read_file", file_path=f"missing-{n}")]
        for n in range(9)
    ]
    end, events, _ = await ran(home, folder, scripted(*turns))
    assert (end.success, end.completion_reason) == (False, "task_complete_signal")
    assert end.iterations == MOST_RETRIES + 1
    assert of(events, "error_message")[-1].code == "unfinished"


async def test_a_model_that_answers_with_nothing_is_asked_again_and_then_given_up(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    end, events, _ = await ran(home, folder, scripted([say("")], after="repeat"))
    assert (end.success, end.completion_reason) == (False, "error")
    assert end.iterations == MOST_RETRIES + 1
    assert of(events, "error_message")[-1].code == "empty_answer"


async def test_silence_after_something_was_said_is_an_end(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([say("I look."), call("list_dir")], [say("")])
    end, _, _ = await ran(home, folder, model)
    assert (end.success, end.final_response) == (True, "I look.")


async def test_a_hundred_calls_at_once_and_a_name_of_a_megabyte_are_answered_each(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    many = [call("list_dir", path=f"p{n}") for n in range(100)]
    model = scripted(many, [call("x" * 1_000_000)], [say("Done.")])
    end, events, _ = await ran(home, folder, model)
    assert end.success
    results = of(events, "tool_result")
    assert len(results) == 101
    assert len(results[-1].content[0].text) < 2_000


@pytest.mark.requirement("T22", "T20")
async def test_each_step_is_told_with_its_calls_results_and_words(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([say("I look."), call("list_dir")], [say("Done.")])
    _, events, _ = await ran(home, folder, model)
    first, last = of(events, "agent_step")
    assert (first.iteration, first.response_text, first.is_complete) == (1, "I look.", False)
    assert [each.name for each in first.tool_calls] == ["list_dir"]
    assert len(first.tool_results) == 1
    assert (last.iteration, last.response_text, last.is_complete) == (2, "Done.", True)
