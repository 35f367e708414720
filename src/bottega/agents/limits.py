"""How far an exchange may go, as data. Reaching a limit never raises: a person is asked, or the exchange ends."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from bottega.errors import BadUsage

LimitName = Literal["iterations", "tokens", "cost", "seconds", "repeats"]


class Limits(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """None: no limit."""

    iterations: Annotated[int, Meta(ge=1)] | None = 50
    """Model calls in one exchange."""
    tokens: Annotated[int, Meta(ge=1)] | None = None
    """Input and output of all its model calls, those of its children too."""
    cost: Annotated[int, Meta(ge=0)] | None = 5_000_000
    """Micro-USD; a price that nobody knows counts as nothing."""
    seconds: Annotated[float, Meta(gt=0)] | None = None
    """From taking the prompt up; waiting for a person does not count."""
    repeats: Annotated[int, Meta(ge=2)] | None = 3
    """The same call with the same arguments, one after the other."""

    def within(self, others: "Limits") -> "Limits":
        """The stricter of both, each by each."""
        pairs = {
            name: (getattr(self, name), getattr(others, name)) for name in self.__struct_fields__
        }
        return Limits(
            **{
                name: one if other is None else other if one is None else min(one, other)
                for name, (one, other) in pairs.items()
            }
        )


PRESETS = {"default": Limits(), "strict": Limits(iterations=8)}


def preset(name: str) -> Limits:
    """The limits of that name; refuse any other word."""
    found = PRESETS.get(name)
    if found is None:
        raise BadUsage(
            f"There is no preset of limits {name!r}.", hint=f"There are: {', '.join(PRESETS)}."
        )
    return found
