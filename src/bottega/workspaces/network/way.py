"""The only place where a connection to the world is made: checked first, then to what was checked.

Where the machine itself reaches the world only through a proxy, that proxy is asked for the
checked address; only if it alone can look names up (`names`) is it given the name.
"""

import asyncio
import base64
import os
import socket
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import msgspec

from bottega.errors import Misconfigured, Problem
from bottega.workspaces.network.address import Address
from bottega.workspaces.network.guard import Checked, Guard, Unreachable
from bottega.workspaces.network.url import Place, parse_place

CONNECT = 10.0
"""Seconds until a connection stands."""
_TRIED = 6
"""Addresses of one name."""
_EACH = 4.0
"""Seconds for one address while there are others."""
_ANSWER = 16_384
"""Bytes in which a proxy must have said yes."""


class Upstream(msgspec.Struct, frozen=True):
    """A proxy of the house through which everything public goes."""

    place: Place
    login: str = ""
    """What a `Proxy-Authorization` header holds."""
    names: bool = False
    """This machine cannot look names up: the proxy does, and answers for where they lead."""


def upstream(url: str, *, names: bool = False) -> Upstream:
    """The proxy that a setting or a variable such as HTTP_PROXY names."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        place = parse_place(f"{parts.netloc.rpartition('@')[2]}{'' if parts.port else ':80'}")
    except (ValueError, Problem):
        raise _unusable() from None
    if parts.scheme != "http":
        raise _unusable()
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    basic = "" if login == ":" else f"Basic {base64.b64encode(login.encode()).decode()}"
    return Upstream(place, basic, names)


def _unusable() -> Misconfigured:
    return Misconfigured(
        "The address of the proxy cannot be used.",  # not shown: it may hold a password
        hint="Write it like http://proxy.example.org:3128.",
    )


class WayOut:
    def __init__(
        self, guard: Guard, *, upstream: Upstream | None = None, connect: float = CONNECT
    ) -> None:
        """A connection must stand within `connect` seconds."""
        self.guard = guard
        self._upstream = upstream
        self._connect = connect

    async def reach(
        self, place: Place, accept: Callable[[Checked], None] | None = None
    ) -> socket.socket:
        """A connection to the place, for the caller to close; raises a `Problem` where there is none.

        `accept` is shown the addresses before anybody connects, and may refuse by raising.
        """
        by_name = self._upstream is not None and self._upstream.names
        checked = await self.guard.check(place, by_name=by_name)
        if accept:
            accept(checked)
        try:
            async with asyncio.timeout(self._connect):
                if self._upstream is None or checked.opened:
                    return await _connected(place, checked.addresses)
                return await _through(self._upstream, checked)
        except TimeoutError:
            raise Unreachable(f"{place} did not answer within {self._connect:g} s.") from None


async def _connected(place: Place, addresses: tuple[Address, ...]) -> socket.socket:
    reason = "no address answered"
    tried = addresses[:_TRIED]
    for number, address in enumerate(tried, 1):
        try:
            async with asyncio.timeout(_EACH if number < len(tried) else None):
                return await _open(str(address), address.version, place.port)
        except TimeoutError:
            reason = "no answer"
        except OSError as problem:
            reason = told(problem)
    raise Unreachable(f"{place} could not be reached: {reason}.")


async def _open(host: str, version: int, port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6)
    try:
        opened.setblocking(False)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(opened, (host, port))
    except BaseException:
        opened.close()
        raise
    return opened


async def _through(upstream: Upstream, checked: Checked) -> socket.socket:
    """Have the proxy connect to the first checked address, or to the name."""
    asked = checked.place
    if checked.addresses:
        asked = Place(str(checked.addresses[0]), asked.port)
    opened = await _to_proxy(upstream.place)
    try:
        login = f"Proxy-Authorization: {upstream.login}\r\n" if upstream.login else ""
        request = f"CONNECT {asked} HTTP/1.1\r\nHost: {asked}\r\n{login}\r\n"
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(opened, request.encode())
        status = await _status(opened)
        if status != 200:
            said = f"answered {status}" if status else "gave no clear answer"
            raise Unreachable(f"{checked.place} could not be reached: the proxy {said}.")
    except OSError as problem:
        opened.close()
        raise Unreachable(f"The proxy {upstream.place} broke off: {told(problem)}.") from None
    except BaseException:
        opened.close()
        raise
    return opened


async def _to_proxy(place: Place) -> socket.socket:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
        family, _, _, _, where = found[0]
        return await _open(str(where[0]), 4 if family == socket.AF_INET else 6, place.port)
    except OSError as problem:
        raise Unreachable(f"The proxy {place} cannot be reached: {told(problem)}.") from None


async def _status(opened: socket.socket) -> int:
    """The proxy's answer; read byte by byte, as what comes after it is not ours."""
    loop = asyncio.get_running_loop()
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = await loop.sock_recv(opened, 1)
        head += piece
        if not piece or len(head) > _ANSWER:
            return 0
    version, _, rest = head.partition(b" ")
    return int(rest[:3]) if version.startswith(b"HTTP/1.") and rest[:3].isdigit() else 0


def told(problem: OSError) -> str:
    """What the system says, without the numbers that asyncio adds."""
    if isinstance(problem, socket.gaierror):
        return "its name cannot be found"
    return (os.strerror(problem.errno) if problem.errno else "it broke off").lower()
