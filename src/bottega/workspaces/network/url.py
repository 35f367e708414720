"""The one parser of URLs. What it accepts is rebuilt from its parts, and only that is used.

Strict on purpose: a spelling that two programs could read in two ways is refused, not guessed at.
"""

import string
import unicodedata
from ipaddress import IPv6Address
from typing import Literal
from urllib.parse import urljoin

import msgspec

from bottega.errors import Problem
from bottega.workspaces.network.address import read

LONGEST = 8_000
_SHOWN = 120
Scheme = Literal["http", "https"]
_SCHEMES: dict[str, Scheme] = {"http": "http", "https": "https"}
_PORTS: dict[Scheme, int] = {"http": 80, "https": 443}
_LABEL = frozenset(string.ascii_lowercase + string.digits + "-_")
_SENT = frozenset(string.ascii_letters + string.digits + "-._~!$&'()*+,;=:@/?[]")
"""What stands in a path or a query as it is."""
_HEX = frozenset(string.hexdigits)


class BadUrl(Problem):
    """This is no URL that can be fetched, or one that could be read in two ways."""

    code = "bad_url"


class Place(msgspec.Struct, frozen=True):
    """Where a connection goes."""

    host: str
    """A name in lower case and ASCII, or an address in its usual spelling, without brackets."""
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Url(msgspec.Struct, frozen=True):
    scheme: Scheme
    place: Place
    path: str = "/"
    """With the query, as it is sent. A fragment is never sent."""

    @property
    def authority(self) -> str:
        """Host and port as a `Host` header has them."""
        whole = str(self.place)
        return whole.removesuffix(f":{_PORTS[self.scheme]}") if self._usual else whole

    @property
    def _usual(self) -> bool:
        return self.place.port == _PORTS[self.scheme]

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse(text: str) -> Url:
    """The URL, or a `BadUrl` that says what is wrong with it."""
    _check_characters(text)
    name, found, rest = text.partition("://")
    scheme = _SCHEMES.get(name.lower())
    if not found or scheme is None:
        raise _bad(text, "does not begin with http:// or https://")
    rest = rest.partition("#")[0]
    end = min((at for mark in "/?" if (at := rest.find(mark)) >= 0), default=len(rest))
    place = _place(rest[:end], text, _PORTS[scheme])
    path = rest[end:]
    if path.find("?") == len(path) - 1:
        path = path.removesuffix("?")  # an empty query, which some send and others leave out
    return Url(scheme, place, _encoded(path if path.startswith("/") else f"/{path}"))


def parse_place(text: str) -> Place:
    """`host:port`, as a client names it that asks for a connection; the port must be there."""
    _check_characters(text)
    return _place(text, text, 0)


def follow(url: Url, location: str) -> Url:
    """Where a redirect leads, seen from the URL that gave it."""
    _check_characters(location)
    try:
        return parse(urljoin(str(url), location))
    except ValueError:
        raise _bad(location, "cannot be read") from None


def _check_characters(text: str) -> None:
    if len(text) > LONGEST:
        raise _bad(text, f"is longer than {LONGEST:,} characters")
    if "\\" in text:
        raise _bad(text, "holds a backslash")
    for each in text:
        if each.isspace() or unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Cn"):
            raise _bad(
                text, "holds a space or an invisible character", "Write it encoded, such as %20."
            )


def _place(authority: str, text: str, usual: int) -> Place:
    if "@" in authority:
        raise _bad(text, "holds a user or a password before the host", "Leave it out.")
    if authority.startswith("["):
        inner, closed, port = authority[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            raise _bad(text, "has an unfinished IPv6 address")
        host = _sixth(inner, text)
        port = port[1:] if port else None
    else:
        host, colon, port = authority.partition(":")
        host = _host(host, text)
        port = port if colon else None
    return Place(host, _port(port, text) if port is not None or not usual else usual)


def _port(port: str | None, text: str) -> int:
    if not port or not port.isascii() or not port.isdigit() or port[0] == "0" or len(port) > 5:
        raise _bad(text, "has no valid port")
    if int(port) > 65_535:
        raise _bad(text, "has a port above 65535")
    return int(port)


def _sixth(inner: str, text: str) -> str:
    found = read(inner)
    if not isinstance(found, IPv6Address):
        raise _bad(text, "has no valid IPv6 address")
    return str(found)


def _host(host: str, text: str) -> str:
    if "%" in host:
        raise _bad(text, "has an encoded host")
    labels = [_label(label, text) for label in host.lower().removesuffix(".").split(".")]
    name = ".".join(labels)
    if len(name) > 253:
        raise _bad(text, "has a host that is too long")
    # What ends in a number is an address to some programs, however it is written.
    if (labels[-1].isdigit() or _is_hex(labels[-1])) and read(name) is None:
        raise _bad(
            text, "has an address in an unusual spelling", "Write it as four numbers from 0 to 255."
        )
    return name


def _is_hex(label: str) -> bool:
    return label.startswith("0x") and _HEX.issuperset(label[2:])


def _label(label: str, text: str) -> str:
    if not label.isascii():
        label = _ascii(label, text)
    if (
        not 0 < len(label) <= 63
        or not _LABEL.issuperset(label)
        or label[0] == "-"
        or label[-1] == "-"
    ):
        raise _bad(text, "has no valid host")
    return label


def _ascii(label: str, text: str) -> str:
    """A label in other letters as the look-up knows it, where all standards agree on how."""
    same = unicodedata.normalize("NFKC", label) == label == label.casefold()
    letters = all(unicodedata.category(each)[0] in "LM" or each in _LABEL for each in label)
    if not same or not letters or len(label) > 63 or label.startswith("xn--"):
        raise _bad(text, "has a host in letters that can be read in two ways", _XN)
    return "xn--" + label.encode("punycode").decode()


_XN = "Write the host in its ASCII form (xn--…)."


def _encoded(path: str) -> str:
    pieces: list[str] = []
    for at, each in enumerate(path):
        if each in _SENT or (each == "%" and _is_byte(path[at + 1 : at + 3])):
            pieces.append(each)
        else:
            pieces.append("".join(f"%{byte:02X}" for byte in each.encode()))
    return "".join(pieces)


def _is_byte(digits: str) -> bool:
    return len(digits) == 2 and _HEX.issuperset(digits)


def shown(text: str) -> str:
    """What someone wrote, short and on one line."""
    return ascii(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def _bad(text: str, why: str, hint: str = "") -> BadUrl:
    return BadUrl(f"The URL {shown(text)} {why}.", hint=hint)
