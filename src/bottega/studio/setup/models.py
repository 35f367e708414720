"""The models that can be used now: what each provider offers, what it costs, and why one could not be asked."""

import asyncio
import time

import msgspec

from bottega.messages.message import Usage
from bottega.providers import catalog, route
from bottega.providers.http.connect import Timeouts
from bottega.providers.provider import Failed
from bottega.providers.vendors import ON_THIS_MACHINE, VENDORS
from bottega.runtime import Runtime
from bottega.studio.setup import reach

KEPT = 60.0
"""Seconds for which a list is told again before providers are asked anew."""
FRESH = 2.0
"""Seconds for which it is told again whoever asks for a new one: nobody floods the providers from here."""
QUICK = Timeouts(connect=2.0, idle=3.0, total=4.0)
"""For a list that somebody looks at while it is made."""
_SAMPLE = 10_000


class Offered(msgspec.Struct, frozen=True):
    name: str
    """As it is written after --model."""
    context_window: int | None
    input_price: float | None
    """US dollars for a million tokens; None: unknown."""
    output_price: float | None
    abilities: list[str]


class Listed(msgspec.Struct, frozen=True):
    provider: str
    models: list[Offered]
    problem: str = ""
    """Why the provider could not be asked; then the models are those that are known of it."""


class Offers:
    """The list, kept for a minute. However many ask for it at once, each provider is asked once."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._asking: asyncio.Task[list[Listed]] | None = None
        self._made = 0.0

    async def listed(self, *, refresh: bool = False) -> list[Listed]:
        asking, age = self._asking, time.monotonic() - self._made
        if asking is None or (asking.done() and age > (FRESH if refresh else KEPT)):
            asking = self._asking = asyncio.create_task(self._ask())
        # Whoever leaves while it is made takes it from nobody else.
        return await asyncio.shield(asking)

    def forget(self) -> None:
        """A key or a setting was changed: ask anew."""
        self._asking = None

    async def _ask(self) -> list[Listed]:
        lists = await listed(self._runtime, timeouts=QUICK)
        self._made = time.monotonic()
        return lists


async def listed(
    runtime: Runtime, *, offline: bool = False, timeouts: Timeouts | None = None
) -> list[Listed]:
    """Every provider that has all it needs, with its models; the guide is always there."""
    table = runtime.routes()
    ready = route.usable(table)
    guide = Listed("guide", [Offered("guide", None, 0, 0, ["tools"])])
    if offline:
        return [guide, *(_known(name, "") for name in ready)]
    found = await reach.offers(runtime, dict.fromkeys([*ready, *ON_THIS_MACHINE]), timeouts)
    return [guide, *await asyncio.to_thread(_lists, found, ready)]


def _lists(found: dict[str, Failed | list[str]], ready: list[str]) -> list[Listed]:
    """Looking prices up takes a while where there are many models."""
    lists: list[Listed] = []
    for name, offer in found.items():
        if not isinstance(offer, Failed):
            lists.append(Listed(name, [offered(name, model) for model in offer]))
        elif name in ready:
            lists.append(_known(name, f"{offer.message} {offer.hint}".strip()))
    return lists


def _known(provider: str, problem: str) -> Listed:
    """The one that new sessions would use first, then the later names, which are the newer ones mostly."""
    vendor = VENDORS.get(provider)
    names = sorted(catalog.known_models(provider), reverse=True)
    first = [vendor.default_model] if vendor and vendor.default_model in names else []
    ordered = dict.fromkeys([*first, *names])
    return Listed(provider, [offered(provider, model) for model in ordered], problem)


def offered(provider: str, model: str) -> Offered:
    facts = catalog.facts(provider, model)
    able = [name for name in facts.abilities.__struct_fields__ if getattr(facts.abilities, name)]
    return Offered(
        f"{provider}/{model}",
        facts.context_window,
        _price(provider, model, Usage(input_tokens=_SAMPLE)),
        _price(provider, model, Usage(output_tokens=_SAMPLE)),
        able,
    )


def _price(provider: str, model: str, usage: Usage) -> float | None:
    """Dollars a million; asked of a small number, as some prices rise with the size of a request."""
    cost = catalog.cost(provider, model, usage)
    return None if cost is None else cost / _SAMPLE
