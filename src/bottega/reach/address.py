"""Addresses of servers. Apart from the way there, as who only reads one needs nothing that speaks HTTP."""

from urllib.parse import urlsplit

from bottega.errors import BadUsage
from bottega.origin import origin_of


def is_address(text: str) -> bool:
    """Whether a server may be there. No login stands in it: a token goes with each request."""
    try:
        parts = urlsplit(text)
        odd = parts.query or parts.fragment or parts.username or parts.password
        return bool(origin_of(text)) and not odd
    except ValueError:
        return False


def checked_address(address: str) -> str:
    if not is_address(address):
        raise BadUsage(
            f"{address!r} is not the address of a server.",
            hint="Give one such as http://127.0.0.1:8448, as `bottega serve` prints it.",
        )
    return address.rstrip("/")
