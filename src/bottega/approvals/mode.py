"""How much may be done unasked."""

from typing import Literal

Mode = Literal["plan", "ask", "allow"]

MODES: tuple[Mode, ...] = ("plan", "ask", "allow")
