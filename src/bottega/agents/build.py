"""From a spec to what runs: the agent, and a registry that holds its tools and no others (T15)."""

from bottega.agents.agent import Agent
from bottega.agents.check import check, is_mcp
from bottega.agents.spec import Spec, WrongSpec
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
