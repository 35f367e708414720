"""What a server says went wrong (RFC 9457), as the exception that the same mistake raises in this process."""

import socket
import ssl
from os import strerror

import msgspec

from bottega import errors
from bottega.errors import Problem
from bottega.messages.json_size import MOST_ARGUMENTS, check_size


class Unreachable(Problem):
    """Nobody answers at that address, and has not for as long as one waits."""

    code = "unreachable"


_KINDS: tuple[tuple[type[BaseException], str, str], ...] = (
    (socket.gaierror, "its name could not be looked up", "Check the address, and the network."),
    (ConnectionRefusedError, "nothing listens there", ""),
    (TimeoutError, "it does not answer in time", ""),
)
_PLAIN = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")
"""What OpenSSL says where somebody answers without TLS."""
_RUNNING = "Is it running? `bottega serve` starts one."


def why(error: Exception) -> tuple[str, str]:
    """Why nobody was reached, and what to do, in words of ours: a library's own tell of its insides."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        hint = "If it made its own, have it trusted: bottega config set ca_file /path/to/cert.pem"
        return f"its certificate is not trusted ({cause.verify_message})", hint
    if isinstance(cause, ssl.SSLError) and cause.reason in _PLAIN:
        return "it speaks no TLS there", "Does its address begin with http://?"
    for kind, words, hint in _KINDS:
        if isinstance(cause, kind):
            return words, hint or _RUNNING
    number = cause.errno if isinstance(cause, OSError) else None
    said = strerror(number) if number and number > 0 else str(error).rstrip(".")
    return said or type(error).__name__, _RUNNING


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


LONGEST = 2000
"""Characters of a sentence of theirs."""


def _sentence(text: str) -> str:
    """On one line: what stands on a line of its own is taken for ours."""
    return " ".join(text[: 2 * LONGEST].split())[:LONGEST]


def problem(status: int, body: bytes) -> Problem:
    """The exception for an answer that is none."""
    try:
        check_size(body, MOST_ARGUMENTS)
        told = _read(body)
    except (ValueError, RecursionError):
        return Problem(f"The server answered with status {status}.", hint="Is it a Bottega?")
    detail = _sentence(told.detail) or f"Status {status}."
    found = KINDS.get(told.code, Problem)(detail, hint=_sentence(told.hint))
    found.code = told.code[:100]
    return found
