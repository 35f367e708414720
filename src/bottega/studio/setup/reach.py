"""Ask providers what they offer: one cheap request each, all at once, a few seconds at most."""

import asyncio
from collections.abc import Iterable

import msgspec

from bottega.errors import Misconfigured
from bottega.providers import route
from bottega.providers.http import probe
from bottega.providers.http.connect import Timeouts
from bottega.providers.provider import Failed
from bottega.providers.route import Endpoint, Routes
from bottega.providers.wires import wire
from bottega.runtime import Runtime


async def offers(
    runtime: Runtime, providers: Iterable[str], timeouts: Timeouts | None = None
) -> dict[str, Failed | list[str]]:
    """For each provider the names of its models, or why it could not say."""
    table = runtime.routes()
    names = list(providers)
    wait = timeouts or probe.PATIENCE
    found = await asyncio.gather(*(_offer(runtime, table, name, wait) for name in names))
    return dict(zip(names, found, strict=True))


async def check(runtime: Runtime, provider: str, key: str = "") -> Failed | list[str]:
    """Whether this provider takes its key, or the given one: its models, or why not.

    Raises where nothing is set up for it.
    """
    table = runtime.routes()
    if key:
        own = table.endpoints.get(provider, Endpoint())
        tried = msgspec.structs.replace(own, key=key)
        table = msgspec.structs.replace(table, endpoints={**table.endpoints, provider: tried})
    return await _offer(runtime, table, provider, probe.PATIENCE, with_key=True)


async def _offer(
    runtime: Runtime, table: Routes, provider: str, timeouts: Timeouts, *, with_key: bool = False
) -> Failed | list[str]:
    try:
        found = route.resolve(f"{provider}/any", table)
    except Misconfigured as problem:
        if with_key:
            raise
        return Failed(problem.message, "misconfigured", hint=problem.hint)
    assert found.wire
    ask = probe.check if with_key else probe.list_models
    return await ask(wire(found.wire), route.target(found, table), runtime.transport, timeouts)
