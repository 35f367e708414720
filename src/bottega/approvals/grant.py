"""What a person has allowed for the rest of a session: a tool, or what a pattern of it names.

As a text, `bash_exec` or `bash_exec(git status *)`; `bash_exec+network(…)` where it was about the network,
`bash_exec@web(npm test)` for commands in that folder, and without one for those in the workspace itself. A grant covers
what was before the person's eyes and its like, never a redirection, a substitution or another command.
"""

import re
from urllib.parse import quote, unquote

import msgspec

from bottega.errors import BadUsage

_TEXT = re.compile(
    r"(?P<tool>[^\s()+@]+)(?P<network>\+network)?(?:@(?P<folder>[^\s()@]+))?(?:\((?P<pattern>.+)\))?",
    re.DOTALL,
)


class Grant(msgspec.Struct, frozen=True, gc=False):
    tool: str
    pattern: str = ""
    """Of a path, a command or an address, whatever the call names; empty: all that the tool does."""
    network: bool = False
    folder: str = ""
    """Where a command that the pattern names may run; empty: in the workspace itself."""

    def __str__(self) -> str:
        pattern = f"({self.pattern})" if self.pattern else ""
        folder = f"@{quote(self.folder)}" if self.folder else ""
        return f"{self.tool}{'+network' if self.network else ''}{folder}{pattern}"


def parse_grant(text: str) -> Grant:
    """A grant from its text."""
    found = _TEXT.fullmatch(text)
    if found is None:
        raise BadUsage(
            f"{text!r} is no grant.", hint="Write tool, tool(pattern) or tool@folder(pattern)."
        )
    folder = unquote(found["folder"] or "")
    return Grant(found["tool"], found["pattern"] or "", bool(found["network"]), folder)
