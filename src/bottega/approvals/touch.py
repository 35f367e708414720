"""What one call would touch, if it ran: the gate judges it, the scheduler keeps conflicts apart by it.

Paths are canonical and relative to the workspace (`.` is all of it; a folder stands for everything beneath it), so that
a link or another spelling of a path is judged and locked as the file that it leads to.
"""

import msgspec


class Touch(msgspec.Struct, frozen=True):
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    command: str = ""
    """What a shell would be given."""
    url: str = ""
    network: bool = False
    """It asks for the network: to fetch something, or for a command."""
    folder: str = ""
    """Where the command starts, if the call says so; empty: in the workspace itself."""
    moved: str = ""
    """Where the `cd` leads with which the command begins; empty: there is none, or it leads nowhere here."""
    shell: str = ""
    """The open shell that it speaks to: calls into one shell run one after the other."""


NOTHING = Touch()
