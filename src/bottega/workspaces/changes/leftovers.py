"""Files that are only there while a change is made: how they are named, and how those of the dead are known.

A name holds the process that made it and when that process began, so another process with the same number is not
mistaken for it; the rest of the name cannot be guessed.
"""

import os
import re
import secrets
from collections import deque
from contextlib import suppress
from itertools import islice

from bottega.ids import is_alive, start_time

_NAME = re.compile(rb"\.bottega-(\d+)-(\d+)-[0-9a-f]{24}\.tmp")


_AT_ONCE = 1_000
"""Files of the dead that are removed at once."""
_ours: deque[bytes] = deque(maxlen=10_000)
"""The last names that this process made."""


def is_passing(name: bytes) -> bool:
    """Whether a file of that name is ours and about to go: this process made it, or another of this program that lives.

    Anybody can give a file such a name. What an agent makes is seen like any other file.
    """
    if not (found := _NAME.fullmatch(name)):
        return False
    process = int(found[1])
    if process == os.getpid():
        return name in _ours
    return is_alive(process, int(found[2])) and _is_of_this_program(process)


def fresh_name() -> bytes:
    me = os.getpid()
    name = b".bottega-%d-%d-%s.tmp" % (me, start_time(me), secrets.token_hex(12).encode())
    _ours.append(name)
    return name


def clean(folder: int) -> None:
    """Remove what dead processes left in an open folder; of one that may not be read nothing is known."""
    with suppress(PermissionError):
        opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            with os.scandir(opened) as entries:
                dead = filter(_is_of_dead, (os.fsencode(entry.name) for entry in entries))
                left = list(islice(dead, _AT_ONCE))
            for name in left:
                with suppress(OSError):
                    os.unlink(name, dir_fd=opened)
        finally:
            os.close(opened)


def _is_of_dead(name: bytes) -> bool:
    found = _NAME.fullmatch(name)
    return bool(found) and not is_alive(int(found[1]), int(found[2]))


def _is_of_this_program(process: int) -> bool:
    """Whether it runs for the same user, on the same interpreter; where that cannot be asked, it does."""
    if not os.path.exists("/proc/self/exe"):
        return True
    try:
        same_user = os.stat(f"/proc/{process}").st_uid == os.geteuid()
        return same_user and os.readlink(f"/proc/{process}/exe") == os.readlink("/proc/self/exe")
    except OSError:
        return False
