from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.tools.builtin.planning.ask_user import ASK_USER
from bottega.tools.builtin.planning.todo_read import TODO_READ
from bottega.tools.builtin.planning.todo_write import TODO_WRITE
from bottega.tools.context import Question, Todo
from tests.tools.contexts import Workbench, outcome_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(tmp_path)
    yield made
    made.root.close()


@pytest.mark.requirement("T36")
async def test_the_to_do_list_is_replaced_whole_and_read_back(bench: Workbench) -> None:
    todos = [
        {"content": "one", "status": "in_progress", "priority": "high"},
        {"content": "two"},
    ]
    outcome = await outcome_of(TODO_WRITE, {"todos": todos}, bench)
    assert outcome.result == {"todos": 2, "in_progress": 1, "pending": 1}
    assert bench.listed == (Todo("one", "in_progress", "high"), Todo("two", "pending", "medium"))
    outcome = await outcome_of(TODO_READ, {}, bench)
    assert outcome.result == {
        "todos": [
            {"content": "one", "status": "in_progress", "priority": "high"},
            {"content": "two", "status": "pending", "priority": "medium"},
        ]
    }
    await outcome_of(TODO_WRITE, {"todos": []}, bench)
    assert (await outcome_of(TODO_READ, {}, bench)).result == {"todos": []}


async def test_several_in_progress_are_taken_with_a_note(bench: Workbench) -> None:
    todos = [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}]
    outcome = await outcome_of(TODO_WRITE, {"todos": todos}, bench)
    assert "one at a time" in outcome.result["note"]


@pytest.mark.parametrize(
    "todo",
    [{}, {"content": ""}, {"content": "a", "status": "done"}, {"content": "a", "priority": 1}],
)
def test_an_item_that_is_none_is_refused(todo: dict[str, object]) -> None:
    assert TODO_WRITE.validator({"todos": [todo]})


async def test_a_question_is_asked_and_its_answer_given(bench: Workbench) -> None:
    bench.answers = ["blue", "none of these"]
    asked = {"question": "Which colour?", "choices": ["red", "blue"]}
    assert (await outcome_of(ASK_USER, asked, bench)).result == {"answer": "blue"}
    outcome = await outcome_of(ASK_USER, {"question": "Why?"}, bench)
    assert outcome.result == {"answer": "none of these"}
    assert bench.asked == [Question("Which colour?", ("red", "blue")), Question("Why?")]
    assert ASK_USER.validator({"question": "x", "choices": ["a", "a"]})
