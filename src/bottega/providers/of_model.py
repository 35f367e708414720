"""What the owner sets for one model: how it should answer, how much it takes, what it costs."""

from typing import Annotated

import msgspec
from msgspec import Meta

from bottega.messages.message import Usage
from bottega.providers.provider import Wishes


class OfModel(Wishes, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What holds for one model: `[models.NAME]` in the config file."""

    context_window: Annotated[int, Meta(ge=1000)] | None = None
    input_usd: Annotated[float, Meta(ge=0)] | None = None
    """US dollars for a million tokens of input, where the list of prices does not know it or you know better."""
    output_usd: Annotated[float, Meta(ge=0)] | None = None

    def __post_init__(self) -> None:
        if (self.input_usd is None) != (self.output_usd is None):
            raise ValueError("A price needs both input_usd and output_usd; what is free costs 0")

    def or_else(self, other: "OfModel") -> "OfModel":
        """What is set here, and what only the other one sets."""
        unset = {
            name: getattr(other, name)
            for name in self.__struct_fields__
            if getattr(self, name) is None
        }
        return msgspec.structs.replace(self, **unset)

    def cost(self, usage: Usage) -> int | None:
        """What an answer costs in micro-USD; None: the owner says nothing of it."""
        if self.input_usd is None or self.output_usd is None:
            return None
        return round(usage.input_tokens * self.input_usd + usage.output_tokens * self.output_usd)
