"""What a proxy in front says of a request counts only where it comes from a proxy that was named."""

import ipaddress
from collections.abc import Iterable

from starlette.types import Scope

from bottega.errors import BadUsage

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Proxies:
    def __init__(self, trusted: Iterable[str]) -> None:
        self._trusted = tuple(_network(each) for each in trusted)

    def hear(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Put the client, the scheme and the host that a trusted proxy names into the scope and the headers."""
        client = scope.get("client")
        if not self._trusted or not client or not self._trusts(client[0]):
            return
        if came := self._nearest(_said(headers, b"x-forwarded-for")):
            scope["client"] = (came, 0)
        scheme = _last(headers, b"x-forwarded-proto")
        if scheme in ("http", "https"):
            is_socket = scope["type"] == "websocket"
            scope["scheme"] = scheme.replace("http", "ws") if is_socket else scheme
        if host := _last(headers, b"x-forwarded-host"):
            headers[b"host"] = host.encode("latin-1")
            scope["headers"] = [
                (name, headers[b"host"] if name == b"host" else value)
                for name, value in scope["headers"]
            ]

    def _nearest(self, chain: str) -> str:
        """The last address of the chain that is no proxy of ours: what stands before it may be made up."""
        for part in reversed(chain.split(",")):
            address = part.strip().strip("[]")
            try:
                ipaddress.ip_address(address)
            except ValueError:
                return ""
            if not self._trusts(address):
                return address
        return ""

    def _trusts(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped:
            found = found.ipv4_mapped
        return any(found in network for network in self._trusted)


def _network(address: str) -> Network:
    try:
        return ipaddress.ip_network(address)
    except ValueError:
        raise BadUsage(
            f"{address[:100]!r} is no address of a proxy.",
            hint="Give it in numbers, such as 10.0.0.2 or 10.0.0.0/24.",
        ) from None


def _said(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


def _last(headers: dict[bytes, bytes], name: bytes) -> str:
    return _said(headers, name).rpartition(",")[2].strip()
