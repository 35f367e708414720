"""Origins: the scheme, host and port that a secret is bound to, in one spelling each.

Every part that compares addresses before it sends a secret does it here, so that no two of them read an address
differently. What two readers could take for different places has no origin, and so no secret goes there.
"""

import ipaddress
import re
import socket
from contextlib import suppress
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")
_OWN_NETWORKS = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
"""Ends of names that no public network has."""
_SHARED = ipaddress.ip_network("100.64.0.0/10")
"""What private networks use besides their own ranges."""
_PLAIN = re.compile(r"[!-~]+")


def origin_of(url: str) -> str:
    """`https://example.org`, or `http://127.0.0.1:8080`, without a port that goes without saying.

    Empty: the address is no plain http(s) one. A host in other than ASCII letters, with a dot at its end, or with a
    backslash or an escape near it, is none: libraries disagree on what such a host is.
    """
    text = url.strip()
    authority = text.partition("://")[2].partition("/")[0]
    if not _PLAIN.fullmatch(text) or "\\" in text or "%" in authority.rpartition("@")[2]:
        return ""
    try:
        parts = urlsplit(text)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        return ""
    shown = _host(host)
    if scheme not in _PORTS or not shown or port == 0:
        return ""
    return f"{scheme}://{shown}{'' if port in (None, _PORTS[scheme]) else f':{port}'}"


def is_secure(origin: str) -> bool:
    """Whether a secret may go there: nobody on the way can read it, as it is encrypted or never leaves this machine."""
    try:
        parts = urlsplit(origin)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host))


def is_exposed(url: str) -> bool:
    """Whether strangers could read what is sent there: plain http, and neither to this machine nor in a network of
    one's own, such as to a number of a private range or a name that only such a network knows.
    """
    if url.strip().lower().startswith("https://"):
        return False
    host = urlsplit(origin_of(url)).hostname or ""
    try:
        address = _number(host)
        return not address.is_private and address not in _SHARED
    except ValueError:
        return not host or ("." in host and not host.endswith(_OWN_NETWORKS))


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """As the system reads it, which takes `134744072` and `0x08080808` for numbers, too."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        with suppress(OSError):
            return ipaddress.IPv4Address(socket.inet_aton(host))
        raise


def is_this_machine(host: str) -> bool:
    """Whether this host, spelled in the usual way, is the machine itself by its inner addresses."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(host: str) -> str:
    if ":" in host:
        try:
            return f"[{ipaddress.IPv6Address(host)}]"
        except ValueError:
            return ""
    return host if _NAME.fullmatch(host) else ""
