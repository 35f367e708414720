"""How a warden is started: what the walls of a sandbox are made of, and the warden's owner follows."""

from collections.abc import Callable, Mapping
from enum import Enum

import msgspec

from bottega.workspaces.confine import Identity
from bottega.workspaces.sandbox.channel import Message


class Descriptor(Enum):
    """Stands in a command for the number of a descriptor that is known only when it is started."""

    CONTROL = "control"
    STATUS = "status"


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """How to start a warden."""

    command: tuple[str | Descriptor, ...]
    """Texts are passed on as they are: many are names that a program has chosen."""
    keep: tuple[int, ...] = ()
    """Descriptors that the command needs."""
    setting: Message
    """What the warden is told first."""
    given: tuple[int, ...] = ()
    """Descriptors that it is given with that."""
    user: tuple[int, int] | None = None
    """Whom it runs as, and in which group; None: as the studio does."""
    expected: Mapping[str, Identity] = {}
    """By path, what the warden must find there before it is of use: a mount goes by paths, which may be swapped."""
    beat: float = 1.0
    holds: Callable[[], bool] = lambda: True
    """Asked with every beat: false once a shield is no longer in its place, which ends everything inside."""
