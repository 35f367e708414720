"""The address that a stranger is known by."""

import ipaddress


def network_of(address: str) -> str:
    """An address, or for one of the new kind its network: everybody has very many of those."""
    if ":" not in address:
        return address
    found = ipaddress.IPv6Address(address.partition("%")[0])
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))
