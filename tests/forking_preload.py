"""Imported once, by the process that others are forked from: all that a server or a victim of the chaos tests needs."""

from bottega.server.preload import import_everything
from tests.chaos import forked, victim

__all__ = ["forked", "victim"]

import_everything()
