"""A rule of the user's: which calls are allowed, asked for or denied. The last that matches wins.

Rules stand in the user's own config file, never in a project's: a cloned repository must not say what may be done.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import msgspec

from bottega.approvals import glob, paths
from bottega.errors import Misconfigured

Ruling = Literal["allow", "ask", "deny"]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """`[[rules]]` in the config file: a verdict, and what it is about."""

    verdict: Ruling
    tool: str = ""
    """A tool's name, `*` standing for any part of it; empty: every tool."""
    path: str = ""
    command: str = ""
    url: str = ""
    network: bool = False
    """About calls that ask for the network; a command that does is allowed by no rule without it."""
    folder: str = ""
    """Where a command is allowed, as a pattern of paths; empty: in the workspace itself, not in folders beneath it."""

    def __post_init__(self) -> None:
        from bottega.approvals import commands, urls

        named = [name for name in ("path", "command", "url") if getattr(self, name)]
        if len(named) > 1:
            raise ValueError(f"A rule has one of path, command and url, not {' and '.join(named)}")
        if not (named or self.tool or self.network):
            raise ValueError("A rule names a tool, path, command or url")
        if self.folder and not (self.command and self.verdict == "allow"):
            raise ValueError(
                "Only a rule that allows a command has a folder: others hold everywhere"
            )
        self._check("tool", glob.compiled)
        self._check("folder", paths.check)
        self._check("path", paths.check)
        self._check("url", urls.check)
        self._check("command", partial(commands.check, allows=self.verdict == "allow"))

    def _check(self, field: str, check: Callable[[str], object]) -> None:
        pattern: str = getattr(self, field)
        try:
            if pattern:
                check(pattern)
        except ValueError as problem:
            raise ValueError(f"The {field} {pattern!r} is no pattern: {problem}") from None

    @property
    def is_narrow(self) -> bool:
        """It is about a path, a command or an address, not about all that a tool does."""
        return bool(self.path or self.command or self.url)

    def is_about(self, tool: str) -> bool:
        return not self.tool or glob.matches(glob.compiled(self.tool), tool)

    def __str__(self) -> str:
        said = [f"{name} {getattr(self, name)}" for name in ("tool", "path", "command", "url")]
        told = [each for each in said if not each.endswith(" ")]
        told += [f"in {self.folder}"] if self.folder else []
        return " ".join([self.verdict, *told, *(["with network"] if self.network else [])])


def parse_rule(table: dict[str, Any]) -> Rule:
    """A rule as it stands in a file; what is wrong with it is told."""
    try:
        return msgspec.convert(table, Rule)
    except msgspec.ValidationError as problem:
        reason = str(problem).partition(" - at ")[0]
        raise Misconfigured(
            f"The rule {table!r} is wrong: {reason[:1].lower()}{reason[1:]}.",
            hint="A rule has verdict (allow, ask, deny) and tool, path, command or url; a command may have a folder.",
        ) from problem


def hidden(rules: tuple[Rule, ...], tool: str) -> tuple[str, ...]:
    """The patterns of paths that may be denied to this tool: a search leaves them out before it looks.

    It is more than what is denied where a later rule allows again; `is_hidden` tells of one path.
    """
    return tuple(
        each.path for each in rules if each.path and each.verdict == "deny" and each.is_about(tool)
    )


def is_hidden(rules: tuple[Rule, ...], tool: str, path: str) -> bool:
    """Whether this path is denied to the tool: what a search found and may not show."""
    found = ""
    for rule in rules:
        if rule.is_about(tool) and rule.path:
            loosely = rule.verdict != "allow"
            found = rule.verdict if paths.matched(rule.path, path, loosely=loosely) else found
    return found == "deny"
