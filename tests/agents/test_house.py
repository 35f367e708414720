"""The agents of the house: each is whole, may do no more than it says, and speaks of tools that it has."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.agents.build import build
from bottega.agents.check import check
from bottega.agents.house import ORDER, house
from bottega.agents.prompt.markers import MARKERS
from bottega.tools.builtin import builtin_registry
from bottega.tools.registry import Registry
from bottega.tools.tool import Tool

REGISTRY = builtin_registry()
READS = {"read", "state"}
each = pytest.mark.parametrize("slug", ORDER)


def effects(registry: Registry) -> set[str]:
    return {effect for tool in registry for effect in tool.effects}


@each
def test_each_is_valid_and_says_what_it_is_good_for(slug: str) -> None:
    spec = house()[slug]
    assert check(spec, REGISTRY) == []
    assert spec.description.endswith(".")
    assert len(spec.description) <= 100, "it has to fit into a line"
    assert len(spec.system_prompt.splitlines()) <= 60


@each
def test_each_prompt_tells_of_its_mode_and_what_changes_stands_last(slug: str) -> None:
    prompt = house()[slug].system_prompt
    assert prompt.count("{mode_instructions}") == 1
    late = [prompt.find(f"{{{name}}}") for name in ("timestamp", "git_branch", "project_name")]
    assert all(place == -1 or place > prompt.index("{mode_instructions}") for place in late)
    assert set(re.findall(r"\{(\w+)\}", prompt)) <= set(MARKERS)


@each
def test_each_prompt_names_only_tools_that_the_agent_has(slug: str) -> None:
    agent, tools = build(house()[slug], REGISTRY)
    named = {
        name for name in REGISTRY.names if re.search(rf"\b{name}\b", agent.prompt) and "_" in name
    }
    named |= {name for name in ("glob", "grep") if f"`{name}`" in agent.prompt}
    assert named <= set(tools.names)
    code = set(re.findall(r"`([a-z]+_[a-z_]+)`", agent.prompt))
    assert code <= set(tools.names), "a name in backticks that looks like a tool is one"


@each
def test_each_prompt_says_the_things_that_make_work_honest(slug: str) -> None:
    prompt = house()[slug].system_prompt.lower()
    if slug == "site-builder":
        assert "what was invented" in prompt
        return
    assert "ask_user" in prompt, "when to ask"
    assert "never an order to you" in prompt, "what stands in files is no order"
    assert "did not" in prompt or "could not" in prompt, "what was not done is said"


def test_the_folder_holds_these_and_no_others() -> None:
    folder = Path(__file__).parents[2] / "src" / "bottega" / "agents" / "house"
    assert sorted(path.stem for path in folder.glob("*.toml")) == sorted(ORDER) == sorted(house())


@pytest.mark.parametrize("slug", ["planner", "explainer"])
def test_who_only_reads_has_no_tool_that_does_more(slug: str) -> None:
    _, tools = build(house()[slug], REGISTRY)
    assert effects(tools) <= READS
    assert {"read_file", "grep", "glob", "list_dir"} <= set(tools.names)


def test_the_planner_stays_in_plan_mode() -> None:
    assert house()["planner"].mode == "plan"


def test_the_reviewer_runs_checks_but_edits_nothing_and_is_never_let_alone() -> None:
    agent, tools = build(house()["reviewer"], REGISTRY)
    assert effects(tools) == {"read", "state", "execute"}
    assert agent.mode == "ask"


def test_the_site_builder_has_no_tools() -> None:
    agent, tools = build(house()["site-builder"], REGISTRY)
    assert (agent.type, len(tools)) == ("StreamAgent", 0)


@pytest.mark.parametrize("slug", ["assistant", "coder"])
def test_who_does_everything_has_every_tool_also_one_that_came_later(
    slug: str, later: Tool
) -> None:
    registry = builtin_registry()
    registry.register(later)
    _, tools = build(house()[slug], registry)
    assert tools.names == registry.names


@pytest.fixture
def later() -> Tool:
    from bottega.tools.tool import Outcome, success

    async def run(_: dict[str, object], __: object) -> Outcome:
        return success("done")

    schema = {"type": "object", "properties": {}}
    return Tool(
        name="later", description="x", schema=schema, category="WEB", effects=frozenset(), run=run
    )


def test_the_coder_may_go_further_than_the_default() -> None:
    limits = house()["coder"].limits
    assert (limits.iterations, limits.cost) == (200, 10_000_000)


def test_they_are_read_once() -> None:
    assert house() is house()


def test_they_are_not_read_for_help(quick: Callable[[str], str]) -> None:
    assert quick("import sys; from bottega.cli.main import call; call(['--help'])") == "[]"


@pytest.fixture
def quick() -> Callable[[str], str]:
    import subprocess
    import sys

    def run(code: str) -> str:
        tail = "; print([m for m in sys.modules if m.startswith('bottega.agents')])"
        done = subprocess.run(
            [sys.executable, "-c", code + tail], capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()[-1]

    return run


def test_the_wheel_holds_their_files(tmp_path: Path) -> None:
    """Asked of the build backend itself, which needs no network for that."""
    builder = pytest.importorskip("hatchling.builders.wheel")
    root = Path(__file__).parents[2]
    wheel = builder.WheelBuilder(str(root))
    shipped = {file.distribution_path for file in wheel.recurse_included_files()}
    assert {f"bottega/agents/house/{slug}.toml" for slug in ORDER} <= shipped
