"""How a program begins: found, given its descriptors, restricted where it must be, and told apart from what failed."""

from __future__ import annotations

import errno
import os
import signal
import struct
from collections.abc import Callable
from typing import Any, Tuple  # noqa: UP035

Action = Tuple[Any, ...]  # noqa: UP006
_RESET = [each for each in signal.valid_signals() if each not in (signal.SIGKILL, signal.SIGSTOP)]
"""What a program is not to inherit from Python."""


def spawned(
    path: str, argv: list[str], environment: dict[str, str], actions: list[Action], *, leads: bool
) -> int:
    """`leads`: it is the leader of a session, which only a terminal needs."""
    place: dict[str, Any] = {"setsid": True} if leads else {"setpgroup": 0}
    return os.posix_spawn(
        path, argv, environment, file_actions=actions, setsigmask=[], setsigdef=_RESET, **place
    )


def found(name: str, path: str) -> str:
    """The file of a program, as a shell finds it."""
    if "/" in name:
        return name
    code = errno.ENOENT
    for folder in filter(None, path.split(":")):
        here = folder + "/" + name
        if os.access(here, os.X_OK) and os.path.isfile(here):
            return here
        if os.path.isfile(here):
            code = errno.EACCES
    raise OSError(code, "", name)


def restricted(
    path: str,
    argv: list[str],
    environment: dict[str, str],
    actions: list[Action],
    restrict: Callable[[], None],
) -> int:
    """What posix_spawn does, with a step before the program begins; raises where it did not begin."""
    said, says = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            signal.set_wakeup_fd(-1)
            for each in _RESET:
                signal.signal(each, signal.SIG_DFL)
            os.setsid()
            for kind, *action in actions:
                source, target = action[0], action[-1]
                if kind == os.POSIX_SPAWN_OPEN:
                    source, target = os.open(*action[1:]), action[0]
                os.dup2(source, target)
            restrict()
            os.execve(path, argv, environment)  # noqa: S606
        except OSError as problem:
            os.write(says, struct.pack("i", problem.errno))
        finally:
            os._exit(127)
    os.close(says)
    told = os.read(said, 4)
    os.close(said)
    if told:
        os.waitpid(pid, 0)
        raise OSError(struct.unpack("i", told)[0], "", path)
    return pid
