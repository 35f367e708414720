"""Whether a change of the providers would send a key of the environment somewhere else.

A key of the environment is the owner's at the terminal: their config file may say where it goes, and a request may
not. Kept keys need no such check: each is bound to the address that it was saved for.
"""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from bottega import destinations
from bottega.errors import Problem, Refused
from bottega.origin import is_this_machine, origin_of
from bottega.providers import route
from bottega.providers.route import Endpoint, Routes
from bottega.providers.vendors import VENDORS
from bottega.settings import OwnProvider, Settings


def check_env_keys(settings: Settings, patch: Any) -> None:
    """Refuse a patch of `providers` (RFC 7396) by which a key of the environment, now or later, would go elsewhere."""
    now = settings.values.providers
    if patch is None:
        patch = dict.fromkeys(now)  # all of them are taken out
    if not isinstance(patch, Mapping):
        return  # it makes no sense, and is told so where it is read
    try:
        after = _patched(now, cast("Mapping[str, Any]", patch))
        tables = destinations.routes(settings), destinations.routes(settings, after)
    except (msgspec.ValidationError, Problem):
        return
    for name in {**now, **after}:
        before, then = (origin_of(route.address_of(name, table)) for table in tables)
        variables = [table[name].key_env if name in table else "" for table in (now, after)]
        variable = variables[1] if variables[0] != variables[1] else ""
        moved = before != then and (_has_key(tables[1], name) or _leaves(name, then))
        if variable or moved:
            raise Refused(
                f"Which key of the environment the provider {name!r} uses, and where that goes, is not changed"
                " over HTTP.",
                hint=f"Change it on the machine itself: bottega config set providers.{name}.base_url …; or choose"
                " another name for it, and keep a key, which is bound to its address.",
            )


def _has_key(table: Routes, name: str) -> bool:
    return bool(table.endpoints.get(name, Endpoint()).key)


def _leaves(name: str, origin: str) -> bool:
    """Whether a vendor's variable, once it is set, would send its key to neither the vendor nor this machine."""
    vendor = VENDORS.get(name)
    if vendor is None or not vendor.keys or origin == origin_of(vendor.base_url):
        return False
    return not is_this_machine(urlsplit(origin).hostname or "")


def _patched(
    providers: Mapping[str, OwnProvider], patch: Mapping[str, Any]
) -> dict[str, OwnProvider]:
    tables: dict[str, dict[str, Any]] = msgspec.to_builtins(providers)
    for name, change in patch.items():
        if change is None:
            tables.pop(name, None)
        elif isinstance(change, Mapping):
            fields = cast("Mapping[str, Any]", change)
            merged = {**tables.get(name, {}), **fields}
            tables[name] = {key: value for key, value in merged.items() if value is not None}
    return msgspec.convert(tables, dict[str, OwnProvider], strict=False)
