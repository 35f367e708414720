"""What `bottega run` is asked for, wherever it runs."""

from pathlib import Path
from typing import Any

import msgspec

from bottega.approvals.mode import Mode


class Wish(msgspec.Struct, frozen=True):
    text: str
    session: str | None
    folder: Path | None
    mode: Mode | None
    schema: dict[str, Any] | None = None
