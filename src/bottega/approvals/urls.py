"""Patterns of addresses: `example.org`, `*.example.org`, `https://example.org/docs/**`.

Without a scheme an allowance is for https, a prohibition for all; without a port an allowance is for the usual one.
An address that two readers could take for different places is met by no allowance, and doubted by each prohibition.
"""

import re
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

from bottega.approvals.glob import Glob, compiled, matches, stretched

_DEEP: Glob = ("any depth",)
_PORTS = {"http": 80, "https": 443}
_HOST = r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\]"
_PATTERN = re.compile(
    rf"(?:(?P<scheme>https?)://)?(?P<under>\*\.)?(?P<host>\*|{_HOST})(?::(?P<port>\d{{1,5}}))?(?P<path>/.*)?"
)
_SAFE = re.compile(r"[!-~]+")
_ODD = re.compile(r"[\\@]|%(?![0-9A-Fa-f]{2})|%(?:2[eEfF]|5[cC]|00)")


class Address(msgspec.Struct, frozen=True):
    scheme: str
    host: str
    port: int
    path: tuple[str, ...]

    @property
    def site(self) -> str:
        """Scheme, host and port, as a pattern that names all of that place."""
        port = "" if _PORTS[self.scheme] == self.port else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


class _Pattern(msgspec.Struct, frozen=True):
    scheme: str
    host: str
    under: bool
    port: int | None
    path: tuple[Glob, ...] | None


def check(pattern: str) -> None:
    """Raise ValueError, with the reason, for a pattern that makes no sense."""
    _compiled(pattern)


def address(url: str) -> Address | None:
    """Where an address leads; None: that is not plain."""
    head, _, _ = url.partition("#")
    head, _, _ = head.partition("?")
    if not _SAFE.fullmatch(url) or _ODD.search(head):
        return None
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        return None
    host = (
        (split.netloc.rpartition(":")[0] if port is not None else split.netloc).lower().rstrip(".")
    )
    segments = tuple(split.path.split("/")[1:])
    if split.scheme not in _PORTS or not re.fullmatch(_HOST, host) or {".", ".."} & set(segments):
        return None
    return Address(split.scheme, host, _PORTS[split.scheme] if port is None else port, segments)


def matched(pattern: str, url: str, *, loosely: bool = False) -> bool | None:
    """Whether the address is one that the pattern names; None: that cannot be told.

    `loosely`, as a prohibition has to be taken: whatever the scheme and port, unless the pattern says them.
    """
    place, found = _compiled(pattern), address(url)
    if found is None:
        return None
    scheme = place.scheme or ("" if loosely else "https")
    if scheme not in ("", found.scheme):
        return False
    usual = found.port if loosely else _PORTS[found.scheme]
    if found.port != (usual if place.port is None else place.port) or not _hosted(
        place, found.host
    ):
        return False
    return place.path is None or stretched(place.path, found.path, _DEEP, matches)


def is_same_site(one: str, other: str) -> bool:
    """Whether both lead to the same host, with or without its `www.`, by the same port or the usual ones."""
    first, second = address(one), address(other)
    if first is None or second is None:
        return False
    usual = {first.port, second.port} <= set(_PORTS.values())
    same = first.host.removeprefix("www.") == second.host.removeprefix("www.")
    return same and (first.port == second.port or usual)


def at_place(pattern: str, host: str, port: int, *, whole: bool) -> bool:
    """Whether the pattern names that host and port, whatever the scheme; `whole`: all that is there."""
    place = _compiled(pattern)
    if not _hosted(place, f"[{host}]" if ":" in host else host.lower().rstrip(".")):
        return False
    if whole:
        return place.port in (None, port) and place.path is None
    return port == place.port if place.port is not None else port in _PORTS.values()


def host_of(pattern: str) -> str:
    """The one host that the pattern names, without brackets; empty: it may be several."""
    place = _compiled(pattern)
    return "" if place.under or place.host == "*" else place.host.strip("[]")


def _hosted(place: _Pattern, host: str) -> bool:
    if place.under:
        return host.endswith("." + place.host)
    return place.host in ("*", host)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> _Pattern:
    found = _PATTERN.fullmatch(pattern)
    if found is None:
        raise ValueError("it is no address such as example.org or https://*.example.org/docs/**")
    path = found["path"]
    names = None if path in (None, "/**") else [_segment(name) for name in path.split("/")[1:]]
    return _Pattern(
        found["scheme"] or "",
        found["host"],
        bool(found["under"]),
        int(found["port"]) if found["port"] else None,
        None if names is None else tuple(names),
    )


def _segment(name: str) -> Glob:
    return _DEEP if name == "**" else compiled(name)
