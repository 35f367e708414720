"""What comes of a call into a shell: a reply, or why there is none."""

import msgspec

from bottega.errors import Conflict, NotFound
from bottega.workspaces.outputs.glimpse import Glimpse


class Busy(Conflict):
    """Something still runs in the shell."""

    code = "busy"


class NothingRuns(Conflict):
    """The shell waits for a command."""

    code = "nothing_runs"


class Gone(NotFound):
    """The shell has ended."""


class Reply(msgspec.Struct, frozen=True):
    output: Glimpse
    """What came since the last reply."""
    exit_code: int | None
    """None: what runs has not ended, or is no command of a shell."""
    running: bool
    waiting: bool
    """It waits for input."""
    ended: bool
    """The shell itself has ended."""
    seconds: float
