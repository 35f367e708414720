import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Fenced, Refused
from bottega.messages.block import ToolUse
from bottega.tools.bound import LIMIT
from bottega.tools.builtin.files.write_file import WRITE_FILE
from bottega.tools.call import call
from bottega.tools.context import Context
from bottega.tools.decorator import tool
from bottega.tools.registry import Registry
from bottega.tools.tool import Outcome, Tool
from bottega.workspaces.edit import Change
from tests.tools.contexts import Workbench, said


class Bench(Workbench):
    """Calls tools, and notes the order of intents and effects."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.order: list[str] = []

    async def intend(self, tool: Tool) -> None:
        self.order.append(f"intent {tool.name}")

    async def call(self, made: Tool, arguments: dict[str, Any] | None = None) -> Outcome:
        use = ToolUse("call_1", made.name, arguments or {})
        return await call(use, Registry((made,)), self, self.intend)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.root.close()


@tool(effects={"read"})
async def double(number: int, context: Context) -> dict[str, int]:
    """Twice the number."""
    if isinstance(context, Bench):
        context.order.append("effect double")
    return {"twice": 2 * number}


async def test_a_call_says_its_intent_before_its_effect(bench: Bench) -> None:
    outcome = await bench.call(double, {"number": 4})
    assert said(outcome) == {"status": "success", "result": {"twice": 8}}
    assert bench.order == ["intent double", "effect double"]


@pytest.mark.requirement("A26")
async def test_an_unknown_tool_is_answered_with_the_names_there_are(bench: Bench) -> None:
    use = ToolUse("call_1", "treble", {})
    outcome = await call(use, Registry((double,)), bench, bench.intend)
    assert said(outcome) == {
        "status": "error",
        "error": {"message": "Unknown tool: treble. Available: double.", "code": "UNKNOWN_TOOL"},
    }
    assert bench.order == []


@pytest.mark.requirement("A26")
async def test_an_endless_tool_name_is_not_repeated_in_full(bench: Bench) -> None:
    outcome = await call(ToolUse("c", "x" * 30_000), Registry(), bench, bench.intend)
    assert outcome.error is not None
    assert outcome.error.message.startswith("Unknown tool: xxx")
    assert len(outcome.error.message) < 200


@pytest.mark.requirement("A24")
@pytest.mark.parametrize(
    ("malformed", "words"),
    [
        ('{"number": 4', "truncated"),
        ('{"number": }', "byte 11"),
        ("[1, 2]", "they are an array"),
        ('"4"', "they are a string"),
        ("null", "they are null"),
    ],
)
async def test_malformed_arguments_are_quoted_and_never_run(
    bench: Bench, malformed: str, words: str
) -> None:
    use = ToolUse("call_1", "double", malformed=malformed)
    outcome = await call(use, Registry((double,)), bench, bench.intend)
    assert outcome.error is not None
    assert outcome.error.code == "INVALID_ARGUMENTS"
    assert words in outcome.error.message
    assert malformed in outcome.error.message
    assert bench.order == []


@pytest.mark.requirement("A31")
async def test_invalid_arguments_are_told_and_never_run(bench: Bench) -> None:
    outcome = await bench.call(double, {"number": "four", "extra": 1})
    assert outcome.error is not None
    assert outcome.error.code == "INVALID_ARGUMENTS"
    assert "number: value is not of type" in outcome.error.message
    assert "'extra' is not known" in outcome.error.message
    assert bench.order == []


@pytest.mark.requirement("A33")
async def test_a_tool_that_raises_becomes_an_error_result(bench: Bench) -> None:
    @tool
    def broken() -> None:
        raise ValueError("the lamp is out")

    assert said(await bench.call(broken)) == {
        "status": "error",
        "error": {"message": "the lamp is out", "code": "TOOL_FAILED"},
    }


async def test_an_exception_without_words_is_named(bench: Bench) -> None:
    @tool
    def silent() -> None:
        raise TimeoutError

    outcome = await bench.call(silent)
    assert outcome.error is not None
    assert outcome.error.message == "TimeoutError"


async def test_what_the_system_says_comes_without_its_number(bench: Bench) -> None:
    @tool
    def absent() -> str:
        return Path("/nowhere/at/all").read_text()

    outcome = await bench.call(absent)
    assert outcome.error is not None
    assert outcome.error.message == "No such file or directory: '/nowhere/at/all'"


async def test_a_problem_keeps_its_own_code_and_hint(bench: Bench) -> None:
    @tool
    def refused() -> None:
        raise Refused("Not on a Sunday.", hint="Try on Monday.")

    outcome = await bench.call(refused)
    assert outcome.error is not None
    assert outcome.error.message == "Not on a Sunday. Try on Monday."
    assert outcome.error.code == "REFUSED"


async def test_a_result_that_is_no_json_is_an_error(bench: Bench) -> None:
    @tool
    def strange() -> object:
        return {"thing": object()}

    outcome = await bench.call(strange)
    assert outcome.error is not None
    assert "cannot be written as JSON" in outcome.error.message


async def test_a_schema_that_is_none_is_an_error_result(bench: Bench) -> None:
    wrong = Tool(
        name="wrong",
        description="",
        schema={"type": "object", "properties": {"a": {"type": "bogus"}}},
        category="WEB",
        effects=frozenset(),
        run=double.run,
    )
    outcome = await bench.call(wrong)
    assert outcome.error is not None
    assert "schema.properties.a.type" in outcome.error.message
    assert bench.order == []


async def test_a_cancel_passes_through(bench: Bench) -> None:
    started = asyncio.Event()

    @tool
    async def endless() -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(bench.call(endless))
    async with asyncio.timeout(30):
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_an_intent_that_cannot_be_stored_stops_the_call(bench: Bench) -> None:
    async def fenced(tool: Tool) -> None:
        raise Fenced("Another worker has this session.")

    with pytest.raises(Fenced):
        await call(ToolUse("c", "double", {"number": 1}), Registry((double,)), bench, fenced)
    assert bench.order == []


@tool(effects={"read"})
def flood() -> str:
    return "water " * 10_000


async def test_a_long_result_is_cut_and_the_whole_is_kept_where_it_says(bench: Bench) -> None:
    wholes: list[str] = []

    async def keep(whole: str) -> str:
        wholes.append(whole)
        return "All of it is in flood.txt."

    outcome = await call(
        ToolUse("c", "flood"), Registry((flood, double)), bench, bench.intend, keep
    )
    assert "All of it is in flood.txt." in outcome.result
    assert len(outcome.result) < LIMIT + 200
    assert wholes == ["water " * 10_000]
    short = ToolUse("c", "double", {"number": 1})
    await call(short, Registry((double,)), bench, bench.intend, keep)
    assert len(wholes) == 1


async def test_a_long_result_is_cut_even_where_nobody_keeps_it(bench: Bench) -> None:
    outcome = await bench.call(flood)
    assert "50,000 of 60,000 characters are left out here.]" in outcome.result


async def test_a_long_error_is_cut(bench: Bench) -> None:
    @tool
    def loud() -> None:
        raise ValueError("no! " * 10_000)

    outcome = await bench.call(loud)
    assert outcome.error is not None
    assert len(outcome.error.message) < LIMIT + 200


async def test_a_tool_that_returns_a_bare_value_is_told_as_success(bench: Bench) -> None:
    async def run(arguments: dict[str, Any], context: Context) -> Any:
        return {"bare": True}

    bare = Tool(
        name="bare",
        description="",
        schema={"type": "object"},
        category="WEB",
        effects=frozenset(),
        run=run,
    )
    assert said(await bench.call(bare)) == {"status": "success", "result": {"bare": True}}


async def test_a_change_is_worked_out_first_and_then_made(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    given = {"path": "a", "content": "new"}
    raised: list[Exception] = []

    async def make(tool: Tool, change: Change) -> None:
        bench.order.append(f"make {change.edits[0].path}")
        if raised:
            raise raised[0]

    async def called(arguments: dict[str, Any]) -> Outcome:
        use = ToolUse("call_1", "write_file", arguments)
        return await call(use, Registry((WRITE_FILE,)), bench, bench.intend, make=make)

    assert (await called(given)).result["size"] == 3
    assert bench.order == ["make a"], "whoever makes it says the intent"
    outcome = await called({"path": "../a", "content": "new"})
    assert outcome.error is not None
    assert outcome.error.code == "PATH_OUTSIDE_WORKSPACE"
    assert bench.order == ["make a"]
    for problem, code in ((Refused("no"), "REFUSED"), (OSError(28, "full"), "TOOL_FAILED")):
        raised[:] = [problem]
        outcome = await called(given)
        assert outcome.error is not None
        assert outcome.error.code == code
    raised[:] = [Fenced("another worker")]
    with pytest.raises(Fenced):
        await called(given)
