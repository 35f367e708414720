"""Which addresses belong to the public internet, and what the others are.

The tables are written out: what Python calls global differs from version to version.
"""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import msgspec

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class Verdict(msgspec.Struct, frozen=True):
    """What is wrong with an address."""

    words: str
    private: bool = False
    """It is one of a private network, which a person may open by naming the network."""


def _table(**kinds: str) -> tuple[tuple[Network, str], ...]:
    rows = ((kind, words) for kind, words in kinds.items())
    return tuple(
        (ip_network(network), kind.replace("_", " "))
        for kind, listed in rows
        for network in listed.split()
    )


_PRIVATE = _table(
    private="10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7",
    carrier_private="100.64.0.0/10",
)
_OTHER = _table(
    metadata="169.254.169.254/32 169.254.170.2/32 100.100.100.200/32 168.63.129.16/32 "
    "192.0.0.192/32 fd00:ec2::254/128 fd20:ce::254/128",
    loopback="127.0.0.0/8 ::1/128",
    unspecified="0.0.0.0/8 ::/128",
    link_local="169.254.0.0/16 fe80::/10",
    site_local="fec0::/10",
    multicast="224.0.0.0/4 ff00::/8",
    broadcast="255.255.255.255/32",
    documentation="192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20",
    benchmark="198.18.0.0/15 2001:2::/48",
    tunnel="192.88.99.0/24 2002::/16 2001::/32",
    embedded_IPv4="::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b:1::/48",
    reserved="192.0.0.0/24 240.0.0.0/4 2001::/23",
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def read(text: str) -> Address | None:
    """The address in its one usual spelling; None for a name, or for any other spelling."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return found if "%" not in text and (found.version == 6 or str(found) == text) else None


def verdict(address: Address) -> Verdict | None:
    """What keeps the address from being reached; None: it is public."""
    if isinstance(address, IPv6Address) and address in _NAT64:
        # A network without IPv4 reaches all of it by such addresses: the inner one counts.
        return verdict(IPv4Address(int(address) & 0xFFFFFFFF))
    for network, words in _OTHER:
        if address in network:
            return Verdict(words)
    for network, words in _PRIVATE:
        if address in network:
            return Verdict(words, private=True)
    if isinstance(address, IPv6Address) and address not in _GLOBAL_V6:
        return Verdict("reserved")
    return None


def is_loopback(network: Network) -> bool:
    """Whether a network holds nothing but this machine's inner addresses."""
    inner = ip_network("127.0.0.0/8") if network.version == 4 else ip_network("::1/128")
    return network.subnet_of(inner)  # pyright: ignore[reportArgumentType]


def is_of_this_machine(address: Address) -> bool:
    """Whether a connection to the address would end on this machine; nothing is sent to find out.

    The system tells from which address it would speak: here from the same, or an inner one.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            source = ip_address(probe.getsockname()[0].partition("%")[0])
            return source == address or source.is_loopback
    except OSError:  # there is no way to it at all
        return False
