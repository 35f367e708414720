"""The same real servers as the server's own tests."""

from tests.server.conftest import serving, shared

__all__ = ["serving", "shared"]
