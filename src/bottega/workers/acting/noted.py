"""What is told of a call beside its outcome."""

import msgspec

from bottega.events import facts
from bottega.messages.message import Usage


class Noted(msgspec.Struct, frozen=True):
    duration_ms: int = 0
    blob: str = ""
    seen: tuple[facts.FileSeen, ...] = ()
    writes: tuple[facts.FileChange, ...] = ()
    usage: Usage = Usage()
    cost: int | None = 0


NOTHING = Noted()
