"""How much there is in a JSON text, counted before anybody decodes it.

What has many members costs far more than its bytes, and no thread helps: decoding lets no other thread run meanwhile.
"""

from typing import Literal

DEEPEST = 200
"""Levels of objects and lists in each other."""

_BRACKETS = b"[]{}"
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_OPEN = frozenset(b"[{")


Fault = Literal["", "encoding", "members", "depth"]


def fault_of(body: bytes, members: int) -> Fault:
    """What speaks against decoding a text that may have so many fields and elements, for the price of its bytes."""
    if b"\0" in body:  # of another encoding, in which quotes and commas are not what they seem
        return "encoding"
    if _marks(body) <= min(members, DEEPEST):  # even if none of them stands in a string
        return ""
    outside = _without_strings(body, members)
    if outside is None or _marks(outside) > members:
        return "members"
    return "depth" if _depth(outside) > DEEPEST else ""


def _marks(text: bytes) -> int:
    """Each member costs one of these at least."""
    return text.count(b",") + text.count(b"[") + text.count(b"{") + text.count(b":")


def _without_strings(body: bytes, members: int) -> bytes | None:
    """What stands outside of strings; None: there are more strings than that many members could have."""
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    most = 4 * members + 4  # two quotes for a name, two for what it names
    parts = plain.split(b'"', most)
    return None if len(parts) > most else b"".join(parts[::2])


def _depth(outside: bytes) -> int:
    depth = deepest = 0
    for sign in outside.translate(None, _ALL_BUT_BRACKETS):
        depth += 1 if sign in _OPEN else -1
        deepest = max(deepest, depth)
    return deepest
