"""From a spec to what runs: the agent, and a registry that holds its tools and no others (T15)."""

from collections.abc import Iterable

import msgspec

from bottega.agents.agent import Agent
from bottega.agents.check import check, is_mcp
from bottega.agents.spec import Spec, WrongSpec
from bottega.approvals.mode import narrower
from bottega.tools.registry import Registry


def build(spec: Spec, registry: Registry) -> tuple[Agent, Registry]:
    """The agent and its tools; refuse a spec that makes no sense with these tools, naming each field."""
    if problems := check(spec, registry):
        raise WrongSpec(f"The agent {spec.slug!r}", problems)
    agent = agent_of(spec)
    return agent, tools_of(agent, registry)


def agent_of(spec: Spec) -> Agent:
    return Agent(
        slug=spec.slug,
        name=spec.name,
        description=spec.description,
        prompt=spec.system_prompt,
        type=spec.type,
        mode=spec.mode,
        model=spec.model,
        tools=spec.tools,
        tool_settings=spec.tool_configs,
        limits=spec.limits,
        wishes=spec.wishes,
        at_once=spec.at_once,
        remote=spec.remote,
    )


def spec_of(agent: Agent) -> Spec:
    """An agent that a program made, as it would be written down."""
    return Spec(
        slug=agent.slug,
        name=agent.name,
        description=agent.description,
        system_prompt=agent.prompt,
        type=agent.type,
        mode=agent.mode,
        model=agent.model,
        tools=agent.tools,
        tool_configs={name: dict(table) for name, table in agent.tool_settings.items()},
        limits=agent.limits,
        wishes=agent.wishes,
        at_once=agent.at_once,
        remote=agent.remote,
    )


def tools_of(agent: Agent, registry: Registry) -> Registry:
    """All tools, or those that the agent names, with its own settings; none for a StreamAgent.

    Those of MCP servers are put in by whoever has started the servers.
    """
    if agent.type == "StreamAgent":
        return Registry()
    named = agent.tools
    here = None if named is None else [name for name in named if not is_mcp(name)]
    return registry.scoped(here, agent.tool_settings)


def missing(agent: Agent, registry: Registry) -> list[str]:
    """The tools of MCP servers that the agent names and does not get, one sentence each."""
    named = [name for name in agent.tools or () if is_mcp(name)]
    return [
        f"The agent {agent.slug!r} names the tool {name!r}, which no MCP server offers here."
        for name in named
        if registry.find(name) is None
    ]


def narrowed(agent: Agent, above: Iterable[Agent]) -> Agent:
    """The agent as it carries a task out for those above it: its mode, tools and limits are within all of theirs."""
    for each in above:
        agent = _within(agent, each)
    return agent


def _within(agent: Agent, other: Agent) -> Agent:
    tools = _common(agent.tools, other.tools)
    configured = {
        name: own for name, own in agent.tool_settings.items() if tools is None or name in tools
    }
    return msgspec.structs.replace(
        agent,
        mode=narrower(agent.mode, other.mode) if agent.mode else other.mode,
        tools=tools,
        tool_settings=configured,
        limits=agent.limits.within(other.limits),
        at_once=min(agent.at_once, other.at_once),
    )


def _common(own: tuple[str, ...] | None, others: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names in both lists; None stands for every tool there is."""
    if own is None:
        return others
    return own if others is None else tuple(name for name in own if name in others)
