"""`$NAME` in a server's settings: put in where the server is started, and taken out of whatever it says.

What was put in is known here only; it is part of no message, no exception and no repr.
"""

import re
from collections.abc import Callable, Mapping
from string import Template

from bottega.errors import Misconfigured
from bottega.providers.http.redaction import redact

LookUp = Callable[[str], str | None]
"""A kept secret's value; None: there is none. Raises where it is kept for something else."""

_TELLING = re.compile(r"key|token|secret|pass|auth|cookie|credential", re.IGNORECASE)
_SHORTEST = 6
"""A shorter value says too little to hide, and would be found everywhere."""
_HIDDEN = "[secret]"


class Secrets:
    """The values of one server."""

    def __init__(
        self, values: Mapping[str, str] | None = None, hidden: frozenset[str] = frozenset()
    ) -> None:
        self.values = dict(values or {})
        """What the server is given, by name."""
        self._hidden = sorted(hidden, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self.values)})"

    def without(self, text: str, longest: int | None = None) -> str:
        """The text, or its beginning, with every secret of this server blotted out, however it is spelled."""
        return redact(text, self._hidden, _HIDDEN, longest)


def names(given: Mapping[str, str]) -> set[str]:
    """Every name that these values refer to."""
    return {name for value in given.values() for name in Template(value).get_identifiers()}


def resolve(server: str, given: Mapping[str, str], look_up: LookUp) -> Secrets:
    """Put values in for names; raises `Misconfigured`, naming what is missing and never a value."""
    values: dict[str, str] = {}
    hidden: set[str] = set()
    for key, text in given.items():
        found = {name: _found(server, name, look_up) for name in names({key: text})}
        try:
            values[key] = Template(text).substitute(found)
        except ValueError:
            raise Misconfigured(
                f"The value of {key!r} of the MCP server {server!r} has a `$` that names nothing.",
                hint="Write `$NAME` for a kept secret, and `$$` for a dollar sign.",
            ) from None
        hidden.update(found.values())
        if not found and _TELLING.search(key):
            hidden.add(text)
    return Secrets(values, frozenset(each for each in hidden if len(each) >= _SHORTEST))


def _found(server: str, name: str, look_up: LookUp) -> str:
    value = look_up(name)
    if not value:
        raise Misconfigured(
            f"The MCP server {server!r} needs ${name}, and no secret of that name is kept.",
            hint=f"Keep it with: bottega keys set {name}",
        )
    return value
