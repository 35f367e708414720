"""The names under which this server may be asked for, and the pages that may ask: its own, and nobody else's.

A page of another site can have its own name lead to this machine (DNS rebinding); the browser then still says that
name, and it is none of ours. An address of numbers is ours where the connection really arrived at it.
"""

import ipaddress
import re

from bottega.errors import BadUsage
from bottega.server.house import Options

_LOCAL = ("localhost", "127.0.0.1", "::1")
_NAME = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)(:[0-9]{1,5})?")

Server = tuple[str, int | None] | None
"""The address of this machine at which a connection arrived."""


class Names:
    def __init__(self, options: Options) -> None:
        hosts = {options.host.lower(), *(_LOCAL if is_loopback(options.host) else ())}
        if is_everywhere(options.host):
            hosts.update(_LOCAL)
        given = {_checked(name) for name in options.allowed}
        with_port = {f"{_bracketed(host)}:{options.port}" for host in hosts}
        with_port |= {name if _has_port(name) else f"{name}:{options.port}" for name in given}
        self._plain = frozenset(with_port | given | _without(with_port, 80))
        self._secure = frozenset(with_port | given | _without(with_port, 443))

    def knows(self, host: str, secure: bool, server: Server) -> bool:
        """Whether this is what a `Host` header may say."""
        wanted = host.lower()
        if wanted in (self._secure if secure else self._plain):
            return True
        if server is None:
            return False
        arrived = f"{_bracketed(server[0].removeprefix('::ffff:'))}:{server[1]}"
        return wanted in {arrived, *_without({arrived}, 443 if secure else 80)}

    def is_ours(self, origin: str, secure: bool, server: Server) -> bool:
        """Whether a page of this origin is one of this server's."""
        scheme, _, host = origin.partition("://")
        return scheme == ("https" if secure else "http") and self.knows(host, secure, server)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_everywhere(host: str) -> bool:
    """Whether a server that listens there listens at every address of this machine."""
    return host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound


def _checked(name: str) -> str:
    wanted = name.lower()
    if not _NAME.fullmatch(wanted):
        raise BadUsage(
            f"{name[:100]!r} is no name of a host.",
            hint="Give it as NAME or NAME:PORT, without http:// and without patterns.",
        )
    return wanted


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdecimal() and not name.endswith("]")


def _without(names: set[str], port: int) -> set[str]:
    """A browser leaves out the port that its scheme has anyway."""
    return {name.removesuffix(f":{port}") for name in names if name.endswith(f":{port}")}
