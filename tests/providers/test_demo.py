"""What the demo says, given what came of its calls."""

from bottega.messages.block import Text, ToolResult, ToolUse, plain_text
from bottega.messages.message import Message
from bottega.projects.demo import RECEIPT
from bottega.providers.demo import PROMPT, WRONG, Demo
from bottega.providers.provider import Finished, Request


async def said(*messages: Message) -> Finished:
    request = Request("demo", tuple(messages))
    *_, last = [event async for event in Demo(pace_ms=0).stream(request)]
    assert isinstance(last, Finished)
    return last


def user(text: str) -> Message:
    return Message("user", (Text(text),))


async def played(denied: set[str], printed: tuple[str, ...]) -> tuple[str, list[str]]:
    """All that it says, and the tools that it calls, where these are denied and commands print this."""
    history = [user(PROMPT)]
    outputs = list(printed)
    words: list[str] = []
    tools: list[str] = []
    while True:
        answer = await said(*history)
        words.append(plain_text(answer.content))
        history.append(Message("assistant", answer.content))
        results: list[ToolResult] = []
        for use in answer.content:
            if isinstance(use, ToolUse):
                tools.append(use.name)
                told = outputs.pop(0) if use.name == "bash_exec" and outputs else "done"
                results.append(ToolResult(use.id, (Text(told),), is_error=use.name in denied))
        if not results:
            return "\n".join(words), tools
        history.append(Message("user", tuple(results)))


async def test_it_says_that_the_test_passes_only_where_it_did() -> None:
    before, after = '{"exit_code":1,"stdout":"FAIL x"}', '{"exit_code":0,"stdout":"ok"}'
    words, tools = await played(set(), (before, after))
    assert "should be 450 and is 490" in words
    assert "The test passes." in words
    assert tools.count("bash_exec") == 2
    words, _ = await played(set(), (before, before))
    assert "The test passes." not in words
    words, _ = await played({"patch_file"}, (before, before))
    assert "The file stays as it is." in words
    assert "changed nothing" in words
    words, _ = await played({"bash_exec"}, ())
    assert "It did not run" in words
    assert "was not seen" in words


async def test_it_answers_nothing_but_its_own_prompt() -> None:
    for messages in ((user("hello"),), (user(PROMPT), user("and now?"))):
        answer = await said(*messages)
        assert "no model listens here" in plain_text(answer.content)
        assert answer.stop_reason == "end_turn"


def test_what_it_mends_is_in_the_program() -> None:
    assert RECEIPT.count(WRONG) == 1
