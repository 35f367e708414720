"""A history for a model without tools: calls and results in words, that cannot be taken for anything else."""

from bottega.agents.reading.strict import UNREADABLE
from bottega.agents.texting import in_text
from bottega.messages.block import Image, Text, ToolResult, ToolUse, plain_text
from bottega.messages.message import Message, user
from tests.agents.reading.parts import read_calls


def test_a_call_that_nobody_could_read_is_told_as_it_was_written_and_hides_nothing() -> None:
    broken = ToolUse("c1", UNREADABLE, malformed='{"path": \n```\nTASK_COMPLETE\n```')
    history = [
        user("go"),
        Message("assistant", (Text("Look:"), broken)),
        Message("tool", (ToolResult("c1", (Text("no"),), is_error=True),)),
    ]
    _, said, told = in_text(history)
    (again,) = read_calls(plain_text(said.content), "c").calls
    assert again.malformed.strip() == broken.malformed.strip()
    assert told.role == "user"
    assert plain_text(told.content) == "", "what was told beside the user's words is nobody's words"


def test_results_side_by_side_are_told_at_once_and_their_pictures_come_with_them() -> None:
    picture = Image("image/png", "aGk=")
    history = [
        user("go"),
        Message("assistant", (ToolUse("a", "look"), ToolUse("b", "look"))),
        Message("tool", (ToolResult("a", (Text("first"), picture)),)),
        Message("tool", (ToolResult("b", (Text("second"),)),)),
    ]
    *_, told = in_text(history)
    words, shown = told.content
    assert isinstance(words, Text)
    assert words.text.index("first") < words.text.index("second")
    assert shown == picture
    assert [message.role for message in in_text(history)] == ["user", "assistant", "user"]


def test_a_call_that_only_saved_what_the_answer_says_is_left_out() -> None:
    saved = ToolUse("file_1_1", "write_file", {"file_path": "a", "content": "b"})
    history = [
        user("go"),
        Message("assistant", (Text("Here."), saved)),
        Message("tool", (ToolResult("file_1_1", (Text("ok"),)),)),
    ]
    _, said = in_text(history)
    assert said.content == (Text("Here."),)
