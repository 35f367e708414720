"""How much there is in a JSON text, counted before anybody decodes it.

What has many members costs far more than its bytes, and no thread helps: decoding lets no other thread run meanwhile.
Whatever comes from elsewhere is counted: bodies of requests, answers of MCP servers and providers, the arguments of a
call, events of another Bottega, exports.
"""

from collections.abc import Iterator
from typing import Literal

DEEPEST = 200
"""Levels of objects and lists in each other."""
MOST_ARGUMENTS = 20_000
"""Fields and elements of one call's arguments."""
MOST_MESSAGE = 50_000
"""Fields and elements of one message of an MCP server, or of another Bottega."""
MOST_ANSWER = 100_000
"""Fields and elements of one event of a provider, or of its whole answer: some repeat every tool they were told."""
MOST_CALLED = 200_000
"""Fields and elements, and signs in texts that look like them, of all arguments in one answer."""
MOST_LINE = 200_000
"""Fields and elements of one fact of an export."""
SMALL = 1_000
"""Fields and elements of what is decoded in no time, however much of it there is."""

_PIECE = 1024 * 1024
_BRACKETS = b"[]{}"
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_OPEN = frozenset(b"[{")


Fault = Literal["", "encoding", "members", "depth"]


class Crowded(ValueError):
    """Why a text is not decoded, as the end of a sentence that begins with what it is."""


def fault_of(body: bytes, members: int) -> Fault:
    """What speaks against decoding a text that may have so many fields and elements, for the price of its bytes."""
    if b"\0" in body:  # of another encoding, in which quotes and commas are not what they seem
        return "encoding"
    if at_most(body) <= min(members, DEEPEST):  # even if none of them stands in a string
        return ""
    outside = _without_strings(body, members)
    if outside is None or at_most(outside) > members:
        return "members"
    return "depth" if _is_deep(outside) else ""


def check_size(text: bytes | str, members: int) -> None:
    """Raise `Crowded` where `fault_of` finds a fault."""
    body = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    match fault_of(body, members):
        case "encoding":
            raise Crowded("not in UTF-8")
        case "members":
            raise Crowded(f"of more than {members:,} fields and elements")
        case "depth":
            raise Crowded(f"nested more than {DEEPEST} levels deep")
        case _:
            pass


def counted(text: bytes, members: int) -> int:
    """`check_size`, and then about how many fields and elements there are."""
    check_size(text, members)
    return members_of(text, members)


def at_most(text: bytes) -> int:
    """No text has more members than this, even if all that looks like one stands outside of strings."""
    return text.count(b",") + text.count(b"[") + text.count(b"{") + text.count(b":")


def members_of(body: bytes, most: int) -> int:
    """About how many fields and elements a text has; of one that has more than `most`, any number above."""
    if (found := at_most(body)) <= DEEPEST:
        return found
    outside = _without_strings(body, most)
    return most + 1 if outside is None else at_most(outside)


def _without_strings(body: bytes, members: int) -> bytes | None:
    """What stands outside of strings; None: there are more strings than that many members could have."""
    plain = b"".join(_without_escapes(body))
    most = 4 * members + 4  # two quotes for a name, two for what it names
    parts = plain.split(b'"', most)
    return None if len(parts) > most else b"".join(parts[::2])


def _without_escapes(body: bytes) -> Iterator[bytes]:
    """The text in pieces: no one call holds up what runs in other threads."""
    at = 0
    while piece := body[at : at + _PIECE]:
        backslashes = len(piece) - len(piece.rstrip(b"\\"))
        if backslashes % 2 and len(piece) > 1:  # what it escapes is in the next piece
            piece = piece[:-1]
        at += len(piece)
        yield piece.replace(b"\\\\", b"").replace(b'\\"', b"")


def _is_deep(outside: bytes) -> bool:
    depth = 0
    for sign in outside.translate(None, _ALL_BUT_BRACKETS):
        depth += 1 if sign in _OPEN else -1
        if depth < 0 or depth > DEEPEST:  # what closes more than is open is no JSON from there on
            break
    return depth > DEEPEST
