"""Patterns of addresses: `example.org`, `*.example.org`, `https://example.org/docs/**`.

Without a scheme an allowance is for https, a prohibition for all; without a port an allowance is for the usual one.
An address that two readers could take for different places is met by no allowance, and doubted by each prohibition.
Paths are compared in one normal form: what is percent-encoded without need is decoded, in patterns too.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, urlsplit

import msgspec

from bottega.approvals.glob import (
    Glob,
    compiled,
    escaped,
    folded,
    folded_glob,
    matches,
    stretched,
)

_DEEP: Glob = ("any depth",)
_PORTS = {"http": 80, "https": 443}
_HOST = r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\]"
_PATTERN = re.compile(
    rf"(?:(?P<scheme>https?)://)?(?P<under>\*\.)?(?P<host>\*|{_HOST})(?::(?P<port>\d{{1,5}}))?(?P<path>/.*)?"
)
_SAFE = re.compile(r"[!-~]+")
_CODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_TELLING = frozenset("/\\%;?#")
"""What means something in an address: encoded, it means that to some servers, and itself to others."""
_ODD = re.compile(r"[\\@]|%(?![0-9A-Fa-f]{2})|%(?:2[eEfF]|5[cC]|00)")


class Address(msgspec.Struct, frozen=True):
    scheme: str
    host: str
    port: int
    path: tuple[str, ...]
    """Its segments, in normal form."""
    is_odd: bool
    """Servers may take the path for another one: it has empty segments, parameters, or is encoded twice."""

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
    segments = tuple(map(_normal, split.path.split("/")[1:]))
    if split.scheme not in _PORTS or not re.fullmatch(_HOST, host) or {".", ".."} & set(segments):
        return None
    is_odd = "" in segments[:-1] or any(not {"%", ";"}.isdisjoint(each) for each in segments)
    usual = _PORTS[split.scheme]
    return Address(split.scheme, host, usual if port is None else port, segments, is_odd)


def matched(pattern: str, url: str, *, loosely: bool = False) -> bool | None:
    """Whether the address is one that the pattern names; None: that cannot be told.

    `loosely`, as a prohibition has to be taken: whatever the scheme and port, unless the pattern says them, and in
    doubt about a path that is the same to a server which knows no case, or no last slash.
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
    if place.path is None:
        return True
    if stretched(place.path, found.path, _DEEP, matches):
        return True if loosely or not found.is_odd else None
    return None if found.is_odd or (loosely and _resembles(place.path, found.path)) else False


def is_same_site(one: str, other: str) -> bool:
    """Whether both lead to the same host, with or without its `www.`, by the same port or the usual ones."""
    first, second = address(one), address(other)
    if first is None or second is None:
        return False
    usual = {first.port, second.port} <= set(_PORTS.values())
    same = first.host.removeprefix("www.") == second.host.removeprefix("www.")
    return same and (first.port == second.port or usual)


def at_place(pattern: str, host: str, port: int, *, whole: bool) -> bool:
    """Whether the pattern names that host and port, whatever the scheme.

    `whole`: all that is there, or a part of it by plain http, for which nobody needs a tunnel that hides the path.
    """
    place = _compiled(pattern)
    if not _hosted(place, f"[{host}]" if ":" in host else host.lower().rstrip(".")):
        return False
    if whole and place.path is not None:
        plain = place.port if place.scheme == "http" and place.port else _PORTS["http"]
        return place.scheme in ("", "http") and port == plain and place.port in (None, port)
    if whole:
        return place.port in (None, port)
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
    return _DEEP if name == "**" else compiled(_normal(name, escaped))


def _normal(segment: str, spelled: Callable[[str], str] = str) -> str:
    """Without percent-encoding that changes nothing (RFC 3986, 6.2.2.2); what is left of it is in capitals."""

    def decoded(found: re.Match[str]) -> str:
        try:
            text = bytes.fromhex(found[0].replace("%", "")).decode()
        except UnicodeDecodeError:
            return found[0].upper()
        return "".join(spelled(each) if _is_plain(each) else quote(each, safe="") for each in text)

    return _CODED.sub(decoded, segment)


def _is_plain(char: str) -> bool:
    return char.isprintable() and char not in _TELLING


def _resembles(pattern: tuple[Glob, ...], path: tuple[str, ...]) -> bool:
    """Whether it meets the path to a server that tells neither case nor spelling apart, nor a last slash."""
    names = path[:-1] if path[-1:] == ("",) else path
    loose = [each if each == _DEEP else folded_glob(each) for each in pattern]
    return stretched(loose, tuple(map(folded, names)), _DEEP, matches)
