"""The system prompt of one exchange, from its plan and the opening: with all that its agent's type needs said."""

from bottega.agents.plan import Plan
from bottega.agents.prompt.markers import used
from bottega.agents.prompt.system import system, tool_list
from bottega.agents.reading.text_calls import FORM
from bottega.agents.shape import NEEDS
from bottega.events.facts import Opening


def built(plan: Plan, opening: Opening) -> str:
    """The same to the byte from the opening on, as long as agent and tools are the same."""
    agent, registry = plan.agent, plan.registry
    listed = registry if plan.offers_tools or plan.text_mode else ()
    return system(
        agent.prompt,
        opening,
        tool_list=tool_list(listed) if "tool_list" in used(agent.prompt) else "",
        tools=registry.get_system_prompt_section() if plan.text_mode else "",
        form=FORM if plan.text_mode else "",
        needs=NEEDS.get(agent.type, ""),
    )
