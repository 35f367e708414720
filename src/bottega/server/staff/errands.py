"""Errands: what a server asks of one of its worker processes, and the answers; each a line of JSON in a pipe.

Every errand is answered once, whatever comes of it, and answers may overtake each other.
"""

from typing import Any

import msgspec

from bottega.errors import Overloaded, Problem
from bottega.sessions.session import SessionRow
from bottega.workspaces.shells.printed import PIECE, Printed

LONGEST = 1024 * 1024
"""Bytes of a line: a piece of what a shell printed, each sign escaped, is not as long."""


class Errand(msgspec.Struct, frozen=True, tag_field="what"):
    pass


class Ping(Errand, frozen=True, tag="ping"):
    """Say that you are there."""


class ListShells(Errand, frozen=True, tag="list-shells"):
    """Every open shell of an agent; a list of `ShellTold`."""


class TypeInto(Errand, frozen=True, tag="type-into"):
    shell_id: str
    text: str


class Resize(Errand, frozen=True, tag="resize"):
    shell_id: str
    columns: int
    rows: int


class Read(Errand, frozen=True, tag="read"):
    """What a shell printed from a byte on; a `Piece`."""

    shell_id: str
    offset: int
    limit: int = PIECE
    than: int = -1
    """Answer once it has printed more bytes than that in all, or has ended; after a while in any case."""


class Keep(Errand, frozen=True, tag="keep"):
    """What this shell printed can be read until it is let go, even after its end."""

    shell_id: str


class LetGo(Errand, frozen=True, tag="let-go"):
    shell_id: str


class CloseShell(Errand, frozen=True, tag="close-shell"):
    shell_id: str


class Free(Errand, frozen=True, tag="free"):
    """Free what is held for a session, once nothing of it runs."""

    row: SessionRow


class Compact(Errand, frozen=True, tag="compact"):
    """As `Worker.compact` does, with its answer."""

    row: SessionRow


AnyErrand = (
    Ping | ListShells | TypeInto | Resize | Read | Keep | LetGo | CloseShell | Free | Compact
)


class ShellTold(msgspec.Struct, frozen=True):
    """A shell, as of the moment at which it was told of."""

    id: str
    folder: str
    owner: str
    command: str
    network: bool
    size: int
    ended: bool
    exit_code: int | None


class Piece(msgspec.Struct, frozen=True):
    printed: Printed
    shell: ShellTold
    """As it was before it was read: what has come since is still to be told."""


class Sent(msgspec.Struct, frozen=True):
    ref: int
    errand: AnyErrand


class Trouble(msgspec.Struct, frozen=True):
    """A `Problem`, on its way."""

    code: str
    message: str
    hint: str

    def problem(self) -> Problem:
        told = Problem(self.message, hint=self.hint)
        told.code = self.code
        return told


class Done(msgspec.Struct, frozen=True):
    ref: int
    result: msgspec.Raw = msgspec.Raw(b"null")
    trouble: Trouble | None = None


class Absent(Overloaded):
    """No worker is there to do it, now."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="Try again in a moment.")


def line(told: Sent | Done) -> bytes:
    return msgspec.json.encode(told) + b"\n"


def done(ref: int, result: Any) -> bytes:
    return line(Done(ref, msgspec.Raw(msgspec.json.encode(result))))


def failed(ref: int, problem: Problem) -> bytes:
    return line(Done(ref, trouble=Trouble(problem.code, problem.message, problem.hint)))
