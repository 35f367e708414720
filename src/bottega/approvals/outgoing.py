"""Where a program that has the network may connect: what a rule denies by its host is refused to whoever asks for it.

However a command spells an address, it is judged where the connection is made. Of a tunnel only host and port are
known, so a rule about some paths of a host is not met by one; commands are asked about because of it.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from bottega.approvals import urls
from bottega.approvals.rule import Rule

COMMANDS = ("bash_exec", "shell_open", "shell_exec")


class _Place(Protocol):
    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...


class Outgoing:
    """Holds what the user's rules deny by address to programs that have the network."""

    def __init__(self, rules: Callable[[], Iterable[Rule]], tools: tuple[str, ...]) -> None:
        self._rules = rules
        self._tools = tools

    def __call__(self, place: _Place, url: str = "") -> str:
        return denial(self._rules(), self._tools, place.host, place.port, url)

    def address(self, host: str, port: int, path: str = "") -> str:
        return denial_of_address(self._rules(), self._tools, host, port, path)


def denial(
    rules: Iterable[Rule], tools: Collection[str], host: str, port: int, url: str = ""
) -> str:
    """The rule that denies these tools the place; empty: none does. `url` is the whole address, if it is known."""
    found: Rule | None = None
    for rule in rules:
        if rule.url and any(map(rule.is_about, tools)) and _meets(rule, host, port, url):
            found = rule
    return f"rule: {found}" if found and found.verdict == "deny" else ""


def denial_of_address(
    rules: Iterable[Rule], tools: Collection[str], host: str, port: int, path: str = ""
) -> str:
    """The same for an address that a name leads to: only a rule that names this very address is met."""
    named = [rule for rule in rules if rule.url and urls.host_of(rule.url) == host]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}{path}" if path else ""
    return denial(named, tools, host, port, url)


def _meets(rule: Rule, host: str, port: int, url: str) -> bool:
    denies = rule.verdict == "deny"
    if url:
        met = urls.matched(rule.url, url, loosely=rule.verdict != "allow")
        return denies if met is None else met
    return urls.at_place(rule.url, host, port, whole=denies)
