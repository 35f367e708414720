"""Which provider answers to a model's name, at which address and in which protocol. Pure.

A name is `provider/model`; the model's own name may hold slashes. What starts with no provider's
name goes to the default provider, else to the only one that has a key, else to litellm.
"""

from collections.abc import Iterable, Mapping

import msgspec

from bottega.errors import Misconfigured
from bottega.origin import is_exposed
from bottega.providers.http.address import host_of, is_loopback, login_of, origin, with_login
from bottega.providers.provider import Target
from bottega.providers.vendors import (
    BUILT_IN,
    FORCED,
    SCRIPTED,
    VENDORS,
    is_openai,
    ollama_address,
    tidy,
    with_scheme,
)
from bottega.providers.wires import WireName

GUESS = "litellm"
_IN_ADDRESSES = frozenset("?#%\\")
"""Characters that mean something in an address: what is priced must be what is sent."""
_TELLS_NOBODY = frozenset({"content-type", "user-agent"})
"""Headers that say nothing of who asks: any other may."""


class Endpoint(msgspec.Struct, frozen=True):
    """What is set for one provider; an empty field means what its vendor has."""

    key: str = ""
    base_url: str = ""
    wire: WireName | None = None
    key_env: str = ""
    """The environment variable that a user-defined provider's key is read from."""
    headers: dict[str, str] = {}

    def __repr__(self) -> str:
        place = self.base_url.rpartition("@")[2]
        return f"Endpoint(base_url={place!r}, wire={self.wire!r}, has_key={bool(self.key)})"


class Routes(msgspec.Struct, frozen=True):
    """All that routing knows: what is set for each provider, and which one is the default."""

    endpoints: dict[str, Endpoint] = {}
    default: str = ""
    withheld: dict[str, tuple[str, str]] = {}
    """Providers whose kept key is for another address: why it is not sent, and what to do."""


class Route(msgspec.Struct, frozen=True):
    """Where a model's name leads. Holds no secret; `target` adds them."""

    provider: str
    wire: WireName | None
    """None: answered inside this program."""
    model: str
    """The model's name at the provider."""
    base_url: str = ""
    max_attempts: int = 10

    @property
    def canonical(self) -> str:
        """The one spelling of all that lead to this model."""
        return f"{self.provider}/{self.model}".casefold()


def resolve(name: str, table: Routes) -> Route:
    """Where this name leads; raises `Misconfigured` if a key, an address or a model is missing."""
    name = name.strip()
    prefix, model = _split(name, table)
    if prefix in BUILT_IN:
        return Route(prefix, None, model)
    if " " in name or not name.isprintable():
        raise Misconfigured(
            f"The name of a model holds no blanks: {name!r}.", hint="Write it without them."
        )
    if not model:
        raise Misconfigured(
            f"{name!r} names no model.", hint=f"Write one after it: {prefix}/name-of-a-model."
        )
    if set(model) & _IN_ADDRESSES or {"", ".", ".."} & set(model.split("/")):
        raise Misconfigured(
            f"{name!r} is not the name of a model: it would change the address that it is sent to.",
            hint="Leave out empty parts, '.', '..', and the characters ? # % and \\.",
        )
    provider = "openai" if prefix in FORCED else prefix
    endpoint = table.endpoints.get(provider, Endpoint())
    vendor = VENDORS.get(provider)
    address = address_of(provider, table)
    if not host_of(address):
        raise Misconfigured(
            f"The provider {provider!r} has no address, or a senseless one: {origin(address)!r}.",
            hint="Set its base_url to one that starts with https://.",
        )
    if provider in table.withheld and not endpoint.key:
        message, hint = table.withheld[provider]
        raise Misconfigured(message, hint=hint)
    if not _is_open(provider, endpoint):
        raise _missing_key(provider, endpoint)
    wire = FORCED.get(prefix) or endpoint.wire or _wire(provider, address)
    return Route(provider, wire, model, tidy(address, wire), vendor.attempts if vendor else 10)


def same(name: str, others: Iterable[str], table: Routes) -> list[str]:
    """Those of the other names that lead to the same model, however they are spelled; the name itself first."""
    wanted = _canonical(name, table)
    found = [each for each in others if each == name or _canonical(each, table) == wanted]
    return sorted(found, key=lambda each: each != name)


def _canonical(name: str, table: Routes) -> str:
    try:
        return resolve(name, table).canonical
    except Misconfigured:
        return name


def address_of(provider: str, table: Routes) -> str:
    """The address that requests to this provider begin with; empty: it has none."""
    vendor = VENDORS.get(provider)
    endpoint = table.endpoints.get(provider, Endpoint())
    return with_scheme(endpoint.base_url) or (vendor.base_url if vendor else "")


def is_scripted(name: str, table: Routes) -> bool:
    """Whether a name leads to the model that plays a script."""
    try:
        return resolve(name, table).provider == SCRIPTED
    except Misconfigured:
        return False


def target(route: Route, table: Routes) -> Target:
    """The route with its key, its login and its headers, as the transport needs it."""
    endpoint = table.endpoints.get(route.provider, Endpoint())
    base_url = with_login(route.base_url, endpoint.base_url)
    if is_exposed(route.base_url) and _is_credited(endpoint):
        raise Misconfigured(
            f"The address of {route.provider!r} is plain http: its key would be read on its way.",
            hint="Give an address that begins with https://, or leave the key out.",
        )
    return Target(route.provider, base_url, endpoint.key, endpoint.headers, route.max_attempts)


def is_paid(route: Route, table: Routes) -> bool:
    """Whether somebody may have to pay for its answers: a server of this machine that takes no key asks for nothing."""
    endpoint = table.endpoints.get(route.provider, Endpoint())
    told = any(name.lower() not in _TELLS_NOBODY for name in endpoint.headers)
    return route.wire is not None and (told or _is_credited(endpoint))


def from_environment(env: Mapping[str, str], default: str = "") -> Routes:
    """What the vendors' usual variables say."""
    found: dict[str, Endpoint] = {}
    for name, vendor in VENDORS.items():
        key, address = _first(env, vendor.keys), _first(env, vendor.addresses)
        if name == "ollama" and address:
            address = ollama_address(address)
        if key or address:
            found[name] = Endpoint(key, address)
    return Routes(found, default.strip())


def define(table: Routes, name: str, endpoint: Endpoint, env: Mapping[str, str]) -> Routes:
    """The table with a provider that the user defined, or with what the user set for a known one.

    What the environment says of a known provider stays. Raises `Misconfigured` for a useless name.
    """
    if not name or "/" in name or name != name.strip() or name in BUILT_IN or name in FORCED:
        raise Misconfigured(
            f"A provider cannot be called {name!r}.", hint="Choose a word of its own, without '/'."
        )
    old = table.endpoints.get(name, Endpoint())
    new = msgspec.structs.replace(
        endpoint,
        key=old.key or endpoint.key.strip() or _first(env, (endpoint.key_env,)),
        base_url=old.base_url or endpoint.base_url.strip(),
    )
    return msgspec.structs.replace(table, endpoints={**table.endpoints, name: new})


def with_keys(
    table: Routes, keys: Mapping[str, str], withheld: Mapping[str, tuple[str, str]] | None = None
) -> Routes:
    """The table with these keys for the providers that have none, and with why others' are withheld."""
    endpoints = dict(table.endpoints)
    for name, key in keys.items():
        old = endpoints.get(name, Endpoint())
        if not old.key:
            endpoints[name] = msgspec.structs.replace(old, key=key)
    endpoints |= {name: Endpoint() for name in withheld or {} if name not in endpoints}
    return msgspec.structs.replace(table, endpoints=endpoints, withheld=dict(withheld or {}))


def usable(table: Routes) -> list[str]:
    """The providers that have all they need, those with a key first; and those whose key is withheld, to tell why."""
    ready = [
        name
        for name, endpoint in table.endpoints.items()
        if _is_open(name, endpoint) or name in table.withheld
    ]
    return sorted(ready, key=lambda name: (not table.endpoints[name].key, name))


def _split(name: str, table: Routes) -> tuple[str, str]:
    head, _, rest = name.partition("/")
    if head in BUILT_IN or _is_known(head, table):
        return head, rest
    if not name:
        raise Misconfigured("No model is named.", hint="Name one, as in openai/gpt-5.")
    return _default(name, table), name


def _default(name: str, table: Routes) -> str:
    if table.default:
        if table.default in BUILT_IN or _is_known(table.default, table):
            return table.default
        raise Misconfigured(
            f"The default provider {table.default!r} is not known.",
            hint=f"Choose one of {', '.join((*VENDORS, *BUILT_IN))}, or define it.",
        )
    with_key = [each for each, endpoint in table.endpoints.items() if endpoint.key]
    ready = with_key or usable(table)
    if len(ready) == 1:
        return ready[0]
    if _is_open(GUESS, table.endpoints.get(GUESS, Endpoint())):
        return GUESS
    if ready:
        raise Misconfigured(
            f"The model {name!r} names no provider, and there are several: {', '.join(ready)}.",
            hint=f"Write {ready[0]}/{name}, or set a default provider.",
        )
    raise Misconfigured(
        f"There is no provider for the model {name!r}.",
        hint="Set OPENAI_API_KEY, ANTHROPIC_API_KEY or another provider's variable, "
        "or type: bottega keys set openai. `bottega models` lists what can be used now.",
    )


def _is_known(provider: str, table: Routes) -> bool:
    return provider in VENDORS or provider in FORCED or provider in table.endpoints


def _is_open(provider: str, endpoint: Endpoint) -> bool:
    """Whether requests may go out: there is a key, or none is needed."""
    vendor = VENDORS.get(provider)
    address = with_scheme(endpoint.base_url)
    return (
        _is_credited(endpoint)
        or is_loopback(host_of(address))
        or bool(vendor and not vendor.needs_key)
    )


def _is_credited(endpoint: Endpoint) -> bool:
    """Whether it is told who asks: by a key, a header or a login."""
    return bool(
        endpoint.key
        or any("auth" in name.lower() or "key" in name.lower() for name in endpoint.headers)
        or login_of(with_scheme(endpoint.base_url))[1]
    )


def _missing_key(provider: str, endpoint: Endpoint) -> Misconfigured:
    vendor = VENDORS.get(provider)
    variable = endpoint.key_env or (vendor.keys[0] if vendor else "")
    typed = f"bottega keys set {provider}"
    return Misconfigured(
        f"The provider {provider!r} has no key.",
        hint=f"Set {variable}, or type: {typed}" if variable else f"Type: {typed}",
    )


def _wire(provider: str, base_url: str) -> WireName:
    if provider == "openai" and is_openai(host_of(base_url)):
        return "openai-responses"
    vendor = VENDORS.get(provider)
    return vendor.wire if vendor else "openai-chat"


def _first(env: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((env[name].strip() for name in names if env.get(name, "").strip()), "")
