"""Everything that one exchange runs with; made before its first model call."""

import msgspec

from bottega.agents.agent import Agent
from bottega.agents.model import Model
from bottega.providers.provider import Wishes
from bottega.tools.registry import Registry


class Plan(msgspec.Struct, frozen=True):
    agent: Agent
    model: Model
    registry: Registry
    folder: str
    wishes: Wishes = Wishes()
    notices: tuple[str, ...] = ()
    """What the person should know of this exchange's tools, one sentence each."""
    instructions: str = ""
    """What the user set as instructions for every session."""
