"""How far an exchange may go, as data. Reaching a limit never raises: a person is asked, or the exchange ends."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from bottega.errors import BadUsage, Refused

LimitName = Literal["iterations", "tokens", "cost", "seconds", "repeats"]


class Limits(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """None: no limit."""

    iterations: Annotated[int, Meta(ge=1)] | None = 50
    """Model calls in one exchange."""
    tokens: Annotated[int, Meta(ge=1)] | None = None
    """Input and output of all its model calls, those of its children too."""
    cost: Annotated[int, Meta(ge=0)] | None = 5_000_000
    """Micro-USD; a price that nobody knows, and nobody assumes, counts as nothing."""
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


NO_LIMITS = Limits(None, None, None, None, None)


class Window(msgspec.Struct, frozen=True):
    """What all exchanges of one home may use together in some time."""

    hours: float = 24.0
    tokens: int | None = None
    cost: int | None = None
    """Micro-USD."""

    @property
    def limits(self) -> Limits:
        return msgspec.structs.replace(NO_LIMITS, tokens=self.tokens, cost=self.cost)

    @property
    def words(self) -> str:
        return "hour" if self.hours == 1 else f"{self.hours:g} hours"


class Spent(msgspec.Struct, frozen=True):
    """What an exchange has used so far, its children's part included."""

    iterations: int = 0
    tokens: int = 0
    cost: int = 0
    seconds: float = 0.0
    repeats: int = 0


class Reached(msgspec.Struct, frozen=True):
    """A limit that an exchange has come to."""

    name: LimitName
    limit: float
    used: float
    window: str = ""
    """Of a limit on all exchanges of some time: how long that is."""

    @property
    def sentence(self) -> str:
        where = f"in the last {self.window}" if self.window else "in this exchange"
        match self.name:
            case "iterations":
                return f"{_whole(self.limit)} model calls were made {where}: that is the limit."
            case "tokens":
                return f"{_whole(self.used)} tokens were used {where}: the limit is {_whole(self.limit)}."
            case "cost":
                return f"{_usd(self.used)} were spent {where}: the limit is {_usd(self.limit)}."
            case "seconds":
                return (
                    f"This exchange has worked for {_whole(self.limit)} seconds: that is the limit."
                )
            case "repeats":
                return f"The agent asked for the same thing {_whole(self.used)} times in a row and got the same."


class LimitReached(Refused):
    """No further model call may be made: a limit is reached, and nobody has raised it."""

    code = "limit_reached"

    def __init__(self, found: Reached, hint: str) -> None:
        super().__init__(found.sentence, hint=hint)
        self.code = _CODES[found.name]


def reached(limits: Limits, spent: Spent) -> Reached | None:
    """The first limit that is used up."""
    for name in _ORDER:
        limit, used = getattr(limits, name), getattr(spent, name)
        if limit is not None and used >= limit:
            return Reached(name, limit, used)
    return None


def halved(limits: Limits) -> Limits:
    """Half of its tokens and cost: past that, a limit is near."""
    tokens, cost = limits.tokens, limits.cost
    return msgspec.structs.replace(limits, tokens=tokens and tokens // 2, cost=cost and cost // 2)


def raised(limits: Limits, over: Reached) -> Limits:
    """As much again, counted from where it stands."""
    amount = over.limit or getattr(PRESETS["default"], over.name) or 1
    more = max(over.limit, over.used) + amount
    return msgspec.structs.replace(
        limits, **{over.name: more if over.name == "seconds" else round(more)}
    )


def _whole(number: float) -> str:
    return f"{round(number):,}"


def _usd(micro: float) -> str:
    return f"${micro / 1_000_000:,.2f}"


_CODES: dict[LimitName, str] = {
    "iterations": "iteration_limit",
    "tokens": "token_limit",
    "cost": "cost_limit",
    "seconds": "time_limit",
    "repeats": "repeated_calls",
}
_ORDER: tuple[LimitName, ...] = ("iterations", "tokens", "cost", "seconds", "repeats")

PRESETS = {"default": Limits(), "strict": Limits(iterations=8)}


def preset(name: str) -> Limits:
    """The limits of that name; refuse any other word."""
    found = PRESETS.get(name)
    if found is None:
        raise BadUsage(
            f"There is no preset of limits {name!r}.", hint=f"There are: {', '.join(PRESETS)}."
        )
    return found
