"""How far an exchange may go, as data. Reaching a limit ends the exchange with its reason; it never raises."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    iterations: int = 50
    """Model calls in one exchange."""


PRESETS = {"default": Limits(), "strict": Limits(iterations=8)}
