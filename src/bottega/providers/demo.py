"""The demo: a model that plays one small piece of work from a script, and says so.

All around it is real: the tools run, the asks wait, the files change. It remembers nothing: what comes next is read off
the request, and what it says of a call is what came of that call, whatever a person answered.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec

from bottega.messages.aside import is_only_asides
from bottega.messages.block import ToolResult, ToolUse, plain_text
from bottega.messages.message import Message, Usage
from bottega.providers import catalog
from bottega.providers.pace import estimated_tokens
from bottega.providers.provider import Request, StreamEvent
from bottega.providers.script import Call, Say, Step, Think, Turn, script
from bottega.providers.scripted import Scripted
from bottega.providers.vendors import DEMO, VENDORS

PROMPT = "The test of this little shop fails. Find out why, mend it, and show me that it passes."
TEST = "bash test.sh"
WRONG = "echo $((total - off))\n"
RIGHT = "echo $((total - total * off / 100))\n"
_PLAN = ("Read the program and its test", "See it fail", "Mend it", "Run the test again")
_PRICED = "anthropic"
"""The provider whose usual model the price of the like is told for."""


class Demo:
    name = DEMO

    def __init__(self, pace_ms: float = 14) -> None:
        self._pace = pace_ms

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        steps = _steps(request.messages)
        if steps is _CLOSING:
            steps = (Say(await asyncio.to_thread(_closing, request)),)
        paced = tuple(self._paced(step) for step in steps)
        played = Scripted(script([Turn(paced)], after="repeat", model=DEMO))
        async for event in played.stream(request):
            yield event

    def _paced(self, step: Step) -> Step:
        if isinstance(step, Say | Think):
            return msgspec.structs.replace(step, pace_ms=self._pace)
        return step


class _Heard(msgspec.Struct, frozen=True):
    """What has come of the script so far."""

    answers: int
    """Since the prompt that it is for; -1: that was not said, or something else was since."""
    results: tuple[tuple[ToolUse, ToolResult], ...]

    def last(self, tool: str) -> ToolResult | None:
        found = [result for use, result in self.results if use.name == tool]
        return found[-1] if found else None

    def did(self, tool: str) -> bool:
        """Whether the last call of that tool did what it was to do."""
        result = self.last(tool)
        return result is not None and not result.is_error

    def said(self, tool: str, words: str) -> bool:
        result = self.last(tool)
        return result is not None and words in plain_text(result.content)


_CLOSING: tuple[Step, ...] = (Say(""),)
_OVER = (
    "This was the demo: it plays one script, and no model listens here. "
    "Choose a model below, or begin a new session, to go on with real work."
)


def _steps(messages: Sequence[Message]) -> tuple[Step, ...]:
    heard = _heard(messages)
    if not 0 <= heard.answers <= 5:
        return (Say(_OVER),)
    played = (
        _look,
        _try,
        lambda: _mend(heard),
        lambda: _try_again(heard),
        lambda: (Say(_verdict(heard)), _todos(4 if _passes(heard) else 3)),
        lambda: _CLOSING,
    )
    return played[heard.answers]()


def _look() -> tuple[Step, ...]:
    return (
        Think(
            "A test fails. First I read the program and the test, then I run it, and only then I change anything."
        ),
        Say("I read the program and its test first, and note what there is to do."),
        _todos(0),
        Call("read_file", {"file_path": "receipt.sh"}),
        Call("read_file", {"file_path": "test.sh"}),
    )


def _try() -> tuple[Step, ...]:
    return (
        Say(
            "Both are short. I want to see the failure itself, so I run the test. A command waits for your word:"
        ),
        _todos(1),
        Call("bash_exec", {"command": TEST}),
    )


def _mend(heard: _Heard) -> tuple[Step, ...]:
    if heard.said("bash_exec", "FAIL"):
        seen = "There it is: with 10 % off, the total should be 450 and is 490."
    elif heard.did("bash_exec"):
        seen = "The test has run; now to the program."
    else:
        seen = "It did not run, so I go by what I have read."
    return (
        Say(
            f"{seen} `off` is a percentage, but the last line takes it off as cents:\n\n"
            f"```bash\n{WRONG}```\n\nThis is the change. It is made when you allow it:"
        ),
        _todos(2),
        Call(
            "patch_file",
            {"file_path": "receipt.sh", "patches": [{"old_text": WRONG, "new_text": RIGHT}]},
        ),
    )


def _try_again(heard: _Heard) -> tuple[Step, ...]:
    if not heard.did("patch_file"):
        return (
            Say("The file stays as it is. I run the test once more, so that you see where we are:"),
            Call("bash_exec", {"command": TEST}),
        )
    return (
        Say("Changed. The same test again:"),
        _todos(3),
        Call("bash_exec", {"command": TEST}),
    )


def _passes(heard: _Heard) -> bool:
    return heard.did("bash_exec") and heard.said("bash_exec", '"exit_code":0')


def _verdict(heard: _Heard) -> str:
    if _passes(heard):
        return "The test passes."
    if not heard.did("patch_file"):
        return "The test would still fail: the change was not made."
    return "The change is made; whether the test passes was not seen."


def _closing(request: Request) -> str:
    heard = _heard(request.messages)
    changed = "one line of `receipt.sh`" if heard.did("patch_file") else "nothing"
    tokens = _tokens(request)
    told = f"about {tokens.input_tokens:,} tokens read and {tokens.output_tokens:,} written"
    model = VENDORS[_PRICED].default_model
    price = catalog.cost(_PRICED, model, tokens)
    like = f"; {model} would take about ${price / 1_000_000:.2f} for the like" if price else ""
    return (
        f"**What happened:** I read two files and changed {changed}. "
        "Every call, every answer of yours and the difference stay above.\n\n"
        f"**What it cost:** nothing. These words came from a script, and no model was asked ({told}{like}).\n\n"
        "The rest was real: the files, the command in its sandbox, and the asks that waited for you. "
        "With a model, an agent does the same in a folder of yours."
    )


def _tokens(request: Request) -> Usage:
    """What a model would have read and written up to here, about."""
    read = written = 0
    for place, message in enumerate(request.messages):
        if message.role == "assistant":
            before = msgspec.structs.replace(request, messages=request.messages[:place])
            read += estimated_tokens(before)
            written += estimated_tokens(
                msgspec.structs.replace(request, system="", messages=(message,))
            )
    return Usage(read, written)


def _todos(done: int) -> Call:
    """The plan with so many steps done, and the next one begun."""

    def status(place: int) -> str:
        return "completed" if place < done else "in_progress" if place == done else "pending"

    todos: list[dict[str, Any]] = [
        {"content": each, "status": status(place)} for place, each in enumerate(_PLAN)
    ]
    return Call("todo_write", {"todos": todos})


def _heard(messages: Sequence[Message]) -> _Heard:
    answers = -1
    uses: dict[str, ToolUse] = {}
    results: list[tuple[ToolUse, ToolResult]] = []
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolUse):
                uses[block.id] = block
            elif isinstance(block, ToolResult) and block.tool_id in uses:
                results.append((uses[block.tool_id], block))
        if message.role == "assistant" and answers >= 0:
            answers += 1
        elif message.role == "user" and not _are_results(message) and not is_only_asides(message):
            answers = 0 if PROMPT in plain_text(message.content) else -1
            results = []
    return _Heard(answers, tuple(results))


def _are_results(message: Message) -> bool:
    return any(isinstance(block, ToolResult) for block in message.content)
