"""What can be read off an address: which machine, which login, which proxy leads there.

Pure: the proxies come in as the names `http`, `https`, `all` and `no`, as `urllib` finds them.
"""

import base64
import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from bottega.providers.provider import WireRequest


def origin(url: str) -> str:
    """Scheme, host and port of an address, without login, path and query."""
    parts = _split(url)
    netloc = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{netloc}" if parts.scheme and netloc else netloc or parts.path


def host_of(url: str) -> str:
    return _split(url).hostname or ""


def login_of(url: str) -> tuple[str, str]:
    """The user and the password that an address holds, each "" if there is none."""
    parts = _split(url)
    return unquote(parts.username or ""), unquote(parts.password or "")


def bare(url: str) -> str:
    """The address as it may be shown: without login, query and fragment."""
    parts = _split(url)
    netloc = parts.netloc.rpartition("@")[2]
    path = parts.path if netloc else parts.path.rpartition("@")[2]
    return parts._replace(netloc=netloc, path=path, query="", fragment="").geturl()


def with_login(url: str, source: str) -> str:
    """The address with the login that `source` holds, if any."""
    login, at, _ = _split(source).netloc.rpartition("@")
    return url.replace("://", f"://{login}{at}", 1)


def is_loopback(host: str) -> bool:
    """Whether this name or address is the machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    number = _number(host)
    return number is not None and number.is_loopback


def is_address_number(host: str) -> bool:
    """Whether this is a number such as 10.0.0.1 rather than a name."""
    return _number(host) is not None


def proxy_for(url: str, proxies: Mapping[str, str]) -> str:
    """The proxy that leads to this address, or ""; the machine itself never needs one."""
    parts = _split(url)
    host = parts.hostname or ""
    if not proxies or is_loopback(host) or _is_exempt(host, _port(parts), proxies.get("no", "")):
        return ""
    found = proxies.get(parts.scheme) or proxies.get("all") or ""
    return found if not found or "://" in found else f"http://{found}"


def without_login(sent: WireRequest) -> WireRequest:
    """The same request with its address's login, if any, in a header: no message shows it there."""
    user, password = login_of(sent.url)
    if not user and not password:
        return sent
    headers = dict(sent.headers)
    if "authorization" not in {name.lower() for name in headers}:
        login = base64.b64encode(f"{user}:{password}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    parts = _split(sent.url)
    clean = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return msgspec.structs.replace(sent, url=clean, headers=headers)


def _is_exempt(host: str, port: int, listed: str) -> bool:
    """Whether NO_PROXY names this host: itself, a domain above it, or a network that holds it."""
    for entry in listed.lower().replace(",", " ").split():
        name, _, wanted = entry.rpartition(":")
        if name and wanted.isdigit() and ("]" in name or ":" not in name):
            if int(wanted) != port:
                continue
            entry = name  # noqa: PLW2901
        suffix = entry.strip("[]").removeprefix("*").lstrip(".")
        if not suffix or host == suffix or host.endswith(f".{suffix}") or _is_in(host, suffix):
            return True
    return False


def _is_in(host: str, network: str) -> bool:
    number = _number(host)
    try:
        return number is not None and number in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _port(parts: SplitResult) -> int:
    try:
        return parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return 0


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "an address that cannot be read", "", "")
