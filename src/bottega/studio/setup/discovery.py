"""What could answer here and is not set up yet: keys in the environment, and servers of models on this machine.

Only the machine itself is looked at, at the ports where such servers usually listen: no address comes from outside.
"""

import asyncio
from typing import Literal

import msgspec

from bottega.providers.http import probe
from bottega.providers.http.connect import Timeouts
from bottega.providers.provider import Failed, Target
from bottega.providers.vendors import VENDORS
from bottega.providers.wires import wire
from bottega.runtime import Runtime

SHORT = Timeouts(connect=1.0, idle=1.5, total=2.0)
_MOST = 200
"""Names of models that are told of one server."""

State = Literal["answers", "needs a key", "something else is there", "not there"]


class Local(msgspec.Struct, frozen=True):
    """A program that serves models, and where it usually listens."""

    name: str
    title: str
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


LOCALS = (
    Local("ollama", "Ollama", 11434),
    Local("lmstudio", "LM Studio", 1234),
    Local("litellm", "LiteLLM", 4000),
)


class Found(msgspec.Struct, frozen=True):
    name: str
    title: str
    address: str
    state: State
    models: list[str]
    use: str
    """What to do next, as a sentence."""


class Variable(msgspec.Struct, frozen=True):
    """An environment variable that is set; what it holds is not told."""

    name: str
    provider: str


class Discovery(msgspec.Struct, frozen=True):
    variables: list[Variable]
    servers: list[Found]


async def discover(runtime: Runtime, places: tuple[Local, ...] = LOCALS) -> Discovery:
    """Look at the environment and at this machine; all at once, two seconds at most."""
    servers = await asyncio.gather(*(_look(runtime, place) for place in places))
    return Discovery(variables(runtime), list(servers))


def variables(runtime: Runtime) -> list[Variable]:
    environment = runtime.settings.environment
    return [
        Variable(name, provider)
        for provider, vendor in VENDORS.items()
        for name in (*vendor.keys, *vendor.addresses)
        if environment.get(name, "").strip()
    ]


async def _look(runtime: Runtime, place: Local) -> Found:
    # Without a key: whoever listens there may be anybody.
    target = Target(place.name, place.address, "")
    found = await probe.list_models(wire("openai-chat"), target, runtime.transport, SHORT)
    if not isinstance(found, Failed):
        models = [f"{place.name}/{model}" for model in found[:_MOST]]
        return _found(place, "answers", models, _use(place, models))
    if found.status in (401, 403):
        return _found(place, "needs a key", [], f"Keep its key: bottega keys set {place.name}")
    if found.status:
        return _found(place, "something else is there", [], "")
    return _found(place, "not there", [], f"Start {place.title} on this machine.")


def _found(place: Local, state: State, models: list[str], use: str) -> Found:
    return Found(place.name, place.title, place.address, state, models, use)


def _use(place: Local, models: list[str]) -> str:
    if not models:
        return f"{place.title} runs, and has no model yet: load one there."
    if place.name == "litellm":
        return f"Name it: bottega config set providers.litellm.base_url {place.address}"
    return f"Choose one of its models, such as {models[0]}."
