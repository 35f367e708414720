import dataclasses
import datetime
import threading
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest

from bottega.errors import BadUsage
from bottega.tools.context import Context
from bottega.tools.decorator import tool
from bottega.tools.tool import Tool, failure
from tests.tools.contexts import Workbench, succeeded


class Point(msgspec.Struct):
    x: int
    y: int = 0


@dataclasses.dataclass
class Line:
    start: Point
    end: Point


@tool(
    category="BUILD",
    effects={"read", "network"},
    examples=[{"name": "a", "many": 2}],
)
def everything(
    name: Annotated[str, "what it is called"],
    many: Annotated[int, msgspec.Meta(ge=1, description="how many")],
    *,
    mode: Literal["fast", "slow"] = "fast",
    maybe: int | None = None,
    tags: list[str] = ["a"],  # noqa: B006
    line: Line | None = None,
    context: Context,
) -> dict[str, Any]:
    """Shows everything
    in one line.

    This paragraph is for people.
    """
    tags.append(context.call_id)
    return {"name": name, "many": many, "mode": mode, "maybe": maybe, "tags": tags, "line": line}


@pytest.mark.requirement("A17")
def test_a_signature_is_the_schema() -> None:
    assert everything.name == "everything"
    assert everything.description == "Shows everything in one line."
    assert everything.category == "BUILD"
    assert everything.effects == {"read", "network"}
    schema = everything.schema
    assert schema["type"] == "object"
    assert schema["required"] == ["name", "many"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert list(properties) == ["name", "many", "mode", "maybe", "tags", "line"]
    assert properties["name"] == {"type": "string", "description": "what it is called"}
    assert properties["many"] == {"type": "integer", "minimum": 1, "description": "how many"}
    assert properties["mode"] == {"enum": ["fast", "slow"], "default": "fast"}
    assert properties["maybe"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert properties["tags"] == {
        "type": "array",
        "items": {"type": "string"},
        "default": ["a"],
    }
    assert set(schema["$defs"]) == {"Line", "Point"}


async def test_arguments_arrive_as_the_types_say(tmp_path: Path) -> None:
    given = {"name": "n", "many": 2, "line": {"start": {"x": 1}, "end": {"x": 2, "y": 3}}}
    result = await succeeded(everything, given, tmp_path)
    assert result["line"] == {"start": {"x": 1, "y": 0}, "end": {"x": 2, "y": 3}}
    assert result["tags"] == ["a", "call_1"]
    assert result["mode"] == "fast"
    again = await succeeded(everything, given, tmp_path)
    assert again["tags"] == ["a", "call_1"], "a default must not remember the last call"


def test_nested_arguments_are_validated_by_the_schema() -> None:
    errors = everything.validator({"name": "n", "many": 0, "mode": "x", "maybe": None})
    assert len(errors) == 2
    assert everything.validator({"name": "n", "many": 1, "line": {"start": {}}}) != ()


async def test_a_plain_function_runs_in_a_thread_and_an_async_one_in_the_loop(
    tmp_path: Path,
) -> None:
    @tool
    def plain() -> int:
        return threading.get_ident()

    @tool
    async def loose() -> int:
        return threading.get_ident()

    assert await succeeded(plain, {}, tmp_path) != threading.get_ident()
    assert await succeeded(loose, {}, tmp_path) == threading.get_ident()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("text", "text"),
        (None, None),
        ([1, "a"], [1, "a"]),
        (Point(1), {"x": 1, "y": 0}),
        (Line(Point(1), Point(2)), {"start": {"x": 1, "y": 0}, "end": {"x": 2, "y": 0}}),
        (Path("a") / "b", "a/b"),
        (b"hi", "aGk="),
    ],
)
async def test_a_return_value_is_told_as_json(value: Any, told: Any, tmp_path: Path) -> None:
    @tool
    def giving() -> Any:
        return value

    assert await succeeded(giving, {}, tmp_path) == told


async def test_an_outcome_passes_as_it_is(tmp_path: Path) -> None:
    @tool
    def failing() -> Any:
        return failure("no", "NO")

    bench = Workbench(tmp_path)
    assert await failing.run({}, bench) == failure("no", "NO")
    bench.root.close()


def test_effects_that_are_not_named_are_taken_for_the_worst() -> None:
    @tool
    def unknown() -> None: ...

    assert isinstance(unknown, Tool)
    assert unknown.effects == {"execute"}


def test_names_and_descriptions_can_be_given() -> None:
    @tool(name="other", description="said otherwise")
    def one() -> None:
        """Not this."""

    assert (one.name, one.description) == ("other", "said otherwise")


def test_a_parameter_without_a_type_is_refused() -> None:
    def wrong(a) -> None: ...  # pyright: ignore

    with pytest.raises(BadUsage, match="'a' of the tool 'wrong' has no type"):
        tool(wrong)


def test_parameters_without_names_are_refused() -> None:
    def wrong(*many: int) -> None: ...

    with pytest.raises(BadUsage, match="many"):
        tool(wrong)


def test_a_type_without_a_schema_is_refused() -> None:
    def wrong(a: threading.Lock) -> None: ...  # pyright: ignore

    with pytest.raises(BadUsage, match="'wrong'"):
        tool(wrong)


def test_a_type_that_is_not_known_is_refused() -> None:
    def wrong(a: "Nowhere") -> None: ...  # pyright: ignore # noqa: F821

    with pytest.raises(BadUsage, match="Nowhere"):
        tool(wrong)


async def test_what_a_schema_cannot_say_is_checked_all_the_same(tmp_path: Path) -> None:
    @tool
    def at(when: datetime.date) -> str:
        return when.isoformat()

    bench = Workbench(tmp_path)
    outcome = await at.run({"when": "2024-13-45"}, bench)
    bench.root.close()
    assert outcome.error is not None
    assert outcome.error.code == "INVALID_ARGUMENTS"
    assert "when" in outcome.error.message
