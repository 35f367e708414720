"""Prefixed, time-sortable ids: `ses_0198c0de…`, a prefix that says what it names and a UUIDv7. Also: processes."""

import os
import time
import uuid
from pathlib import Path
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


def start_time(process: int) -> int:
    """When a process began, in the kernel's ticks; 0 where that cannot be asked."""
    try:
        told = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return 0
    # The second field is the program's name, which may hold anything; the 22nd is what is wanted.
    return int(told.rpartition(b")")[2].split()[19])


def is_alive(process: int, started: int) -> bool:
    """Whether the process of that number is there, and began at that time."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return start_time(process) == started
