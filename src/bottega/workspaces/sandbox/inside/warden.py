"""The warden: the first process of a sandbox. It starts programs for its owner, and ends all when that is silent.

Each program has a keeper, a fork of the warden to which everything falls that loses its parent: no program leaves its
keeper's tree, and no keeper outlives the warden. The owner has one at hand before it is needed, so that no program
waits for a fork.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress

from .keeper import Keeper
from .kernel import adopt, lower, seal
from .mounts import strange
from .tree import Bell, end, ended, tree
from .wire import read, receive, send

_PATIENCE = 0.5
"""Seconds that keepers have for it: less than the owner has for the warden."""


class Warden:
    def __init__(self, owner: socket.socket) -> None:
        self.owner = owner
        self.bell = Bell()
        self.keepers: set[int] = set()
        # Nobody writes to it: whoever waits for its end learns that the warden is gone.
        self.life, self.lifeline = os.pipe2(os.O_CLOEXEC)
        seal()
        adopt()
        body, fds = receive(owner)
        self.settings = read(body)
        # Without walls of its own the workspace is entered by its descriptor: another folder may have its path by then.
        self.workspace = fds.pop(0) if "workspace" in self.settings else -1
        self.ruleset = fds.pop(0) if fds else -1
        for name, value in self.settings["limits"].items():
            lower(getattr(resource, name), value)

    def provide(self) -> None:
        """Give the owner a keeper that waits for its program; it is told where there may be no more processes."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
        except OSError as problem:
            send(self.owner, {"keeper": problem.errno})
            return
        if pid:
            self.keepers.add(pid)
            send(self.owner, {"keeper": 0}, [ours.fileno()])
            ours.close()
            theirs.close()
            return
        code = 1
        try:
            ours.close()
            self.owner.close()
            os.close(self.lifeline)
            Keeper(self.settings, self.workspace, self.ruleset, self.life, theirs).run()
            code = 0
        except Exception as problem:
            complain(problem)
        finally:
            os._exit(code)

    def run(self) -> None:
        poll = select.poll()
        poll.register(self.owner, select.POLLIN)
        poll.register(self.bell.reader, select.POLLIN)
        heard = time.monotonic()
        silence = self.settings["silence"]
        while time.monotonic() - heard < silence:
            ready = dict(poll.poll(1000 * max(0.0, heard + silence - time.monotonic())))
            if self.owner.fileno() in ready:
                body, _ = receive(self.owner)
                if not body:
                    return
                heard = time.monotonic()
                self.obey(body)
            if self.bell.reader in ready:
                self.bell.hush()
                self.reap()

    def obey(self, body: bytes) -> None:
        message = read(body)
        if "keeper" in message:
            self.provide()
        elif "listen" in message:
            self.listen()

    def listen(self) -> None:
        """A place inside that programs can connect to, and that the owner outside answers."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            send(self.owner, {"port": listener.getsockname()[1]}, [listener.fileno()])

    def reap(self) -> None:
        murdered = False
        with suppress(ChildProcessError):
            for pid, code in ended():
                murdered |= pid in self.keepers and code != 0
                self.keepers.discard(pid)
        if murdered:  # what it kept is ours now
            end(lambda: tree(os.getpid(), self.keepers), self.keepers.discard)

    def close(self) -> None:
        """Wait until every keeper has ended what it kept; what resists is ended with its keeper."""
        os.close(self.lifeline)
        until = time.monotonic() + _PATIENCE
        while self.keepers and time.monotonic() < until:
            select.select([self.bell.reader], [], [], 0.1)
            self.bell.hush()
            self.reap()
        end(lambda: tree(os.getpid(), ()))


def complain(problem: Exception) -> None:
    """The owner reads it, if the sandbox does not open."""
    os.write(2, (type(problem).__name__ + ": " + str(problem) + "\n").encode("utf-8", "replace"))


def found(paths: list[str]) -> list[list[int]]:
    """What stands at these paths, seen from the workspace, as device and inode; the owner knows what should."""
    told: list[list[int]] = []
    for path in paths:
        try:
            seen = os.lstat(path)
            told.append([seen.st_dev, seen.st_ino])
        except OSError:
            told.append([0, 0])
    return told


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    number = int(sys.argv[1])
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd != number:
            with suppress(OSError):  # one was the listing's own
                os.close(fd)
    owner = socket.socket(fileno=number)
    owner.set_inheritable(False)
    try:
        warden = Warden(owner)
        settings = warden.settings
        odd = strange(settings["mounts"]) if "mounts" in settings else []
        send(owner, {"ready": True, "found": found(settings["tell"]), "strange": odd[:10]})
        warden.run()
        if os.getpid() != 1:  # the kernel ends everything with the first process
            warden.close()
    except Exception as problem:
        complain(problem)
    finally:
        os._exit(0)
