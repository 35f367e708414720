"""Everything that one exchange runs with; made before its first model call."""

from collections.abc import Callable
from typing import Any

import msgspec

from bottega.agents.agent import Agent, Whereabouts
from bottega.agents.model import Model
from bottega.providers.provider import Wishes
from bottega.tools.registry import Registry


class Consent(msgspec.Struct, frozen=True):
    """Whether the owner of the home lets an agent's token go where the agent is."""

    question: str
    hash: str
    """Of the agent's entry, the address and the name of the token."""
    is_given: Callable[[], bool]
    give: Callable[[], None]
    may_ask: bool
    """The session is the owner's: who is asked there may say so."""
    command: str
    """What the owner types to say so."""


class Elsewhere(msgspec.Struct, frozen=True):
    """Who answers in place of an agent here, and how they are reached."""

    where: Whereabouts
    token: Callable[[], str]
    """Raises where none is kept for that address."""
    consent: Consent
    patience: float
    """Seconds for which a server that is gone is tried again."""
    ca_file: str = ""


class Plan(msgspec.Struct, frozen=True):
    agent: Agent
    model: Model
    registry: Registry
    folder: str
    wishes: Wishes = Wishes()
    notices: tuple[str, ...] = ()
    """What the person should know of this exchange's tools, one sentence each."""
    schema: dict[str, Any] | None = None
    """What the final response must fit."""
    attended: bool = False
    """Somebody is there to answer."""
    instructions: str = ""
    """What the user set as instructions for every session."""

    cache_key: str = ""
    """By which a provider knows requests that share a beginning."""
    hops: int = 0
    """How many other Bottegas the prompt came through."""
    above: tuple[str, ...] = ()
    """The agents that handed this task on, the first one first."""
    elsewhere: Elsewhere | None = None
    """Another Bottega answers; None: the model does."""

    @property
    def text_mode(self) -> bool:
        """Calls are read from the model's text: it takes no tools of its own accord."""
        is_single = self.agent.type == "StreamAgent"
        return not is_single and not self.model.abilities.tools and len(self.registry) > 0

    @property
    def offers_tools(self) -> bool:
        """The tools go to the provider as such. A single pass has none: what it writes is saved for it."""
        is_single = self.agent.type == "StreamAgent"
        return not is_single and self.model.abilities.tools and len(self.registry) > 0
