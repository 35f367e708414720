"""From a spec to what runs: its own tools, or all, or none."""

from typing import Any

import pytest

from bottega.agents.agent import Agent
from bottega.agents.build import agent_of, build, spec_of
from bottega.agents.limits import Limits
from bottega.agents.spec import Spec, WrongSpec, from_record
from bottega.providers.provider import Wishes
from bottega.tools.builtin import builtin_registry

REGISTRY = builtin_registry()


def spec(**fields: Any) -> Spec:
    return Spec(**{"slug": "a", "name": "A", "system_prompt": "Work.", **fields})


@pytest.mark.requirement("T15", "T27", "N05")
def test_named_tools_give_a_registry_of_just_those_with_their_settings() -> None:
    named = ("todo_read", "read_file", "grep", "read_file")
    agent, tools = build(spec(tools=named, tool_configs={"grep": {"hide": ["x"]}}), REGISTRY)
    assert tools.names == ("todo_read", "read_file", "grep")
    assert dict(tools.get("grep").settings) == {"hide": ["x"]}
    assert dict(REGISTRY.get("grep").settings) == {}, "others' stay as they are"
    assert agent.tools == named


@pytest.mark.requirement("T15")
def test_without_named_tools_it_has_all_and_a_stream_agent_none() -> None:
    assert build(spec(), REGISTRY)[1].names == REGISTRY.names
    assert len(build(spec(tools=()), REGISTRY)[1]) == 0
    assert len(build(spec(type="StreamAgent"), REGISTRY)[1]) == 0


@pytest.mark.requirement("T15")
def test_a_record_is_built_as_it_says() -> None:
    record = {"name": "Reader", "system_prompt": "You read.", "tools": ["read_file"]}
    agent, tools = build(from_record(record), REGISTRY)
    assert (agent.slug, agent.prompt, tools.names) == ("reader", "You read.", ("read_file",))


def test_what_makes_no_sense_is_not_built() -> None:
    with pytest.raises(WrongSpec) as caught:
        build(spec(system_prompt="", tools=("fly",)), REGISTRY)
    assert caught.value.message.startswith("The agent 'a' is wrong: system_prompt is empty")
    assert len(caught.value.problems) == 2


def test_tools_of_mcp_servers_are_left_to_who_starts_them() -> None:
    wanted = spec(tools=("grep", "mcp__git__status"))
    agent, tools = build(wanted, REGISTRY)
    assert tools.names == ("grep",)
    assert agent.tools == ("grep", "mcp__git__status")


def test_an_agent_and_its_spec_say_the_same() -> None:
    agent = Agent(
        slug="b",
        name="B",
        description="x",
        prompt="Work.",
        type="ReActAgent",
        mode="plan",
        model="guide",
        tools=("grep",),
        tool_settings={"grep": {"hide": []}},
        limits=Limits(iterations=3),
        wishes=Wishes("low"),
        at_once=2,
    )
    assert agent_of(spec_of(agent)) == agent
