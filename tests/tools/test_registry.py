from pathlib import Path
from typing import Any

import pytest

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.tools.builtin import builtin_registry
from bottega.tools.context import Context
from bottega.tools.registry import Registry
from bottega.tools.tool import Category, Outcome, Tool, success
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.fence import Fence
from tests.tools.contexts import Workbench


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


@pytest.mark.requirement("T25")
def test_tools_are_listed_by_category() -> None:
    registry = Registry((make("a"), make("b", "SHELL")))
    assert [tool.name for tool in registry.list("SHELL")] == ["b"]
    assert [tool.name for tool in registry.list()] == ["a", "b"]


@pytest.mark.requirement("N05", "N06", "T27")
def test_a_scoped_registry_holds_only_what_was_named() -> None:
    registry = Registry((make("a"), make("b"), make("c")))
    assert registry.scoped(["c", "a", "c"]).names == ("c", "a")
    with pytest.raises(NotFound, match="'x'"):
        registry.scoped(["a", "x"])


@pytest.mark.requirement("T27")
def test_a_scoped_registry_may_configure_its_tools() -> None:
    registry = Registry((make("a"), make("b"), make("c")))
    scoped = registry.scoped(["a", "b"], {"b": {"hide": ["secrets"]}})
    assert scoped.get("b").settings == {"hide": ["secrets"]}
    assert scoped.get("a") is registry.get("a")
    assert registry.get("b").settings == {}
    assert registry.scoped(settings={"c": {"x": 1}}).names == ("a", "b", "c")
    with pytest.raises(NotFound, match="'c'"):
        registry.scoped(["a"], {"c": {}})
    with pytest.raises(NotFound, match="'x'"):
        registry.scoped(settings={"x": {}})


@pytest.mark.requirement("T25")
async def test_a_tool_is_executed_by_its_name(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    registry = builtin_registry()
    (tmp_path / "a").write_text("text")
    outcome = await registry.execute("read_file", {"file_path": "a"}, bench)
    assert outcome.result["content"] == "text"
    outcome = await registry.execute("nothing", {}, bench)
    assert outcome.error is not None
    assert outcome.error.code == "UNKNOWN_TOOL"
    outcome = await registry.execute("read_file", {"file": "a"}, bench)
    assert outcome.error is not None
    assert outcome.error.code == "INVALID_ARGUMENTS"
    bench.root.close()


@pytest.mark.requirement("T25")
async def test_a_tool_that_edits_is_executed_by_whoever_makes_its_changes(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    registry = builtin_registry()
    fence = Fence(tmp_path / "state")
    (tmp_path / "ws").mkdir()
    bench.root.close()
    bench.root = Root(tmp_path / "ws")

    async def make_it(tool: Tool, change: Change) -> None:
        assert tool.name == "write_file"
        apply(bench.root, change, fence)

    given = {"file_path": "a/b.txt", "content": "text"}
    outcome = await registry.execute("write_file", given, bench)
    assert outcome.error is not None
    assert not (tmp_path / "ws" / "a").exists()
    outcome = await registry.execute("write_file", given, bench, make_it)
    assert outcome.result["created"]
    assert (tmp_path / "ws" / "a" / "b.txt").read_text() == "text"
    outcome = await registry.execute("write_file", given, bench, make_it)
    assert outcome.error is not None
    assert outcome.error.code == "NO_CHANGE"
    bench.root.close()


@pytest.mark.requirement("T26")
def test_the_built_in_tools_have_categories_effects_and_valid_examples() -> None:
    for tool in builtin_registry():
        assert tool.known
        assert tool.effects
        assert (tool.run is None) != (tool.plan is None)
        assert tool.schema["additionalProperties"] is False
        assert len(tool.description) > 40
        assert tool.examples
        for example in tool.examples:
            assert tool.validator(example) == ()
