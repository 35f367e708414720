"""The same real servers as the server's own tests."""

from functools import cache

from tests.server.conftest import serving, shared
from tests.server.serving import Serving

__all__ = ["serving", "shared", "token"]


@cache
def token(server: Serving) -> str:
    """The host's, made once for each server."""
    return server.token()
