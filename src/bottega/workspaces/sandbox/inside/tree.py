"""A tree of processes: who is in it, who has ended, and how to end all of it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress


class Bell:
    """Becomes readable when a child has ended."""

    def __init__(self) -> None:
        self.reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _heard)

    def hush(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self.reader, 512):
                pass


def _heard(_number: int, _frame: object) -> None:
    """Being called is enough: Python then writes to the pipe."""


def ended() -> Iterator[tuple[int, int]]:
    """Each child that has ended, with how; raises ChildProcessError where no child is left."""
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        yield pid, os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def tree(root: int, spared: Collection[int]) -> list[int]:
    """Every living process beneath `root`, without those spared and what is beneath them."""
    children: dict[int, list[tuple[int, bytes]]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/" + name + "/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue  # it has ended meanwhile
            children.setdefault(int(parent), []).append((int(name), state))
    living: list[int] = []
    left = [root]
    while left:
        for pid, state in children.get(left.pop(), ()):
            if pid not in spared:
                left.append(pid)
                if state not in b"ZX":
                    living.append(pid)
    return living


def end(living: Callable[[], list[int]], reaped: Callable[[int], None] = lambda _: None) -> None:
    """Kill until nothing lives. All are stopped first, so that none makes another meanwhile."""
    while True:
        left = living()
        for order in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, order)
        try:
            for pid, _ in ended():
                reaped(pid)
        except ChildProcessError:
            return
        if not left and not living():
            return
        time.sleep(0.0005)
