"""What a server says went wrong (RFC 9457), as the exception that the same mistake raises in this process."""

import msgspec

from bottega import errors
from bottega.errors import Problem


class Unreachable(Problem):
    """Nobody answers at that address, and has not for as long as one waits."""

    code = "unreachable"


class Told(msgspec.Struct):
    """The body of a problem."""

    code: str = "problem"
    detail: str = ""
    hint: str = ""


_read = msgspec.json.Decoder(Told).decode

KINDS: dict[str, type[Problem]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, Problem)
}
"""By the code that a server tells."""


def problem(status: int, body: bytes) -> Problem:
    """The exception for an answer that is none."""
    try:
        told = _read(body)
    except msgspec.DecodeError:
        return Problem(f"The server answered with status {status}.", hint="Is it a Bottega?")
    found = KINDS.get(told.code, Problem)(told.detail or f"Status {status}.", hint=told.hint)
    found.code = told.code
    return found
