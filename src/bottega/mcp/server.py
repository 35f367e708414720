"""What the user wrote down about one MCP server, and the hash that an approval of it is bound to.

The hash covers everything that decides what runs and what it is given: a server whose entry was changed or swapped
after it was approved is another server.
"""

import hashlib
import re
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from bottega.errors import Misconfigured
from bottega.origin import is_secure, origin_of

NAME = r"^(?=.{1,32}$)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$"
"""No two underscores together and none at an end: so `mcp__SERVER__tool` can be read in one way only."""

_REFERENCE = re.compile(r"(Bearer |Basic |Token )?\$(\w+|\{\w+\})")

FOLDER = "{folder}"
"""In an argument: the folder of the session."""


class McpServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`[mcp.NAME]` in the config file: a program (`command`) or an address (`url`)."""

    command: str = ""
    args: tuple[str, ...] = ()
    """`{folder}` in them stands for the session's folder."""
    env: dict[str, str] = {}
    """A value may name a kept secret: `$NAME`."""
    network: bool = False
    """Whether the program may use the network."""
    visible: tuple[str, ...] = ()
    """Folders and files that the program may read besides those that were found for it."""
    url: str = ""
    headers: dict[str, str] = {}
    """As in `env`: `Bearer $NAME`."""
    tools: tuple[str, ...] | None = None
    """The tools that are offered to models, by the names that the server gives them; None: all."""
    enabled: bool = True
    timeout: Annotated[float, Meta(gt=0)] = 120.0
    """Seconds that one call may take."""
    people: tuple[str, ...] = ()
    """Who besides the owner of the home may use it, by their names; `everyone`: all of them."""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ValueError("A server has either a `command` or a `url`")
        if self.command and self.headers:
            raise ValueError("A program has no `headers`: give it `env`")
        if self.url and (self.args or self.env or self.visible or self.network):
            raise ValueError(
                "An address has `headers` only: `args`, `env`, `visible` and `network` are a program's"
            )
        if self.url and not _is_address(self.url):
            raise ValueError("`url` is no http or https address")

    def masked(self) -> "McpServer":
        """The same as it may be shown: no value of a variable or header that is not a mere name."""
        return msgspec.structs.replace(
            self,
            env={name: _masked(value) for name, value in self.env.items()},
            headers={name: _masked(value) for name, value in self.headers.items()},
            url=self.url
            and urlsplit(self.url)._replace(netloc=_netloc(self.url), query="").geturl(),
        )

    def __repr__(self) -> str:
        # Arguments, variables and addresses may hold secrets.
        return f"McpServer({'url' if self.url else 'command'}=…)"

    @property
    def kind(self) -> str:
        return "http" if self.url else "stdio"

    @property
    def place(self) -> str:
        """Where it is, without anything that may be secret."""
        return urlsplit(self.url).hostname or "" if self.url else self.command


def _masked(value: str) -> str:
    return value if _REFERENCE.fullmatch(value) else "…"


def _netloc(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_name(name: str) -> bool:
    return re.fullmatch(NAME, name) is not None


def fingerprint(server: McpServer) -> str:
    """The sha256 of what an approval is given for; values stand in it as hashes of their own."""
    given = server.headers if server.url else server.env
    hashed = {name: _sha(value.encode()) for name, value in given.items()}
    bound = [
        *(1, server.command, server.args, server.network, server.visible, server.url),
        sorted(hashed.items()),
        *([sorted(server.people)] if server.people else []),
    ]
    return _sha(msgspec.json.encode(bound))


def destination_of(name: str, server: McpServer) -> str:
    """What a secret of this server is bound to: its origin; of a program, its name and all that decides what runs."""
    if server.url:
        return origin_of(server.url)
    return f"mcp:{name}#{fingerprint(msgspec.structs.replace(server, people=()))[:32]}"


def check_secure(name: str, server: McpServer) -> None:
    """Refuse to send what may be a secret where others could read it on its way."""
    parts = urlsplit(server.url)
    secret = bool(server.headers or parts.username or parts.password or parts.query)
    if server.url and secret and not is_secure(origin_of(server.url)):
        raise Misconfigured(
            f"The MCP server {name!r} is at a plain http address, and its entry holds headers, a login or a query:"
            " these are sent over https, or to this machine.",
            hint="Correct its url to one that begins with https://.",
        )


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
