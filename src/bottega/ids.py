"""Prefixed, time-sortable ids: `ses_0198c0de…`, a prefix that says what it names and a UUIDv7."""

import os
import time
import uuid
from typing import NewType

SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", str)
"""The id of a prompt: a UUID v4 that the client makes. It names the whole exchange."""


def fresh(prefix: str) -> str:
    """Return a new id; ids made later sort later, to the millisecond."""
    stamp = time.time_ns() // 1_000_000
    noise = int.from_bytes(os.urandom(10), "big")
    high = (noise >> 64) & 0xFFF
    low = noise & 0x3FFF_FFFF_FFFF_FFFF
    return f"{prefix}_{(stamp << 80) | (0x7 << 76) | (high << 64) | (0x2 << 62) | low:032x}"


def fresh_session() -> SessionId:
    return SessionId(fresh("ses"))


def fresh_message() -> MessageId:
    return MessageId(str(uuid.uuid4()))
