from typing import Any

import pytest

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.tools.builtin import builtin_registry
from bottega.tools.context import Context
from bottega.tools.registry import Registry
from bottega.tools.tool import Category, Outcome, Tool, success


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    return success("ran")


def make(name: str, category: Category = "FILE_OPS", kind: str = "object") -> Tool:
    return Tool(
        name=name,
        description=f"does {name}",
        schema={"type": kind},
        category=category,
        effects=frozenset(),
        run=run,
    )


@pytest.mark.requirement("A30")
def test_a_tool_is_found_by_its_name() -> None:
    tool = make("a")
    registry = Registry((tool,))
    assert registry.find("a") is tool
    assert registry.get("a") is tool
    assert registry.find("b") is None
    with pytest.raises(NotFound, match=r"'b'.*Available: a"):
        registry.get("b")


@pytest.mark.requirement("A30")
def test_a_second_tool_of_the_same_name_is_refused() -> None:
    registry = Registry((make("a"),))
    with pytest.raises(Conflict, match="'a'"):
        registry.register(make("a"))
    assert len(registry) == 1


@pytest.mark.requirement("A17")
def test_a_schema_must_be_an_objects() -> None:
    with pytest.raises(BadUsage, match="object"):
        Registry((make("a", kind="string"),))


@pytest.mark.requirement("A21", "A17")
def test_all_tools_are_offered_in_their_order() -> None:
    registry = Registry((make("b"), make("a")))
    assert [spec.name for spec in registry.specs()] == ["b", "a"]
    registry.register(make("c"))
    assert [spec.name for spec in registry.specs()] == ["b", "a", "c"]
    assert registry.specs()[0].description == "does b"
    assert registry.specs()[0].schema == {"type": "object"}


def test_tools_are_listed_by_category() -> None:
    registry = Registry((make("a"), make("b", "SHELL")))
    assert [tool.name for tool in registry.list("SHELL")] == ["b"]
    assert [tool.name for tool in registry.list()] == ["a", "b"]


@pytest.mark.requirement("N05", "N06")
def test_a_scoped_registry_holds_only_what_was_named() -> None:
    registry = Registry((make("a"), make("b"), make("c")))
    assert registry.scoped(["c", "a", "c"]).names == ("c", "a")
    with pytest.raises(NotFound, match="'x'"):
        registry.scoped(["a", "x"])


def test_the_built_in_tools_have_valid_examples() -> None:
    for tool in builtin_registry():
        assert tool.examples
        for example in tool.examples:
            assert tool.validator(example) == ()
