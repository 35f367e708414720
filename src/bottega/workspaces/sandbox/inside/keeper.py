"""The keeper of a program: starts it, tells how it ended, and ends everything that came of it when told to.

Once nothing is left of a program it waits for another, until nobody has one for it.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import struct
import termios
from contextlib import suppress

from .begin import Action, found, restricted, spawned
from .kernel import adopt, restrict
from .tree import Bell, end, ended, tree
from .wire import Message, read, receive, send


class Keeper:
    def __init__(
        self, settings: Message, workspace: int, ruleset: int, life: int, orders: socket.socket
    ) -> None:
        """`life` ends with the warden; what to start comes by `orders`.

        `workspace` is the open folder, or -1 where nothing else can stand at its path.
        """
        self.settings = settings
        self.workspace = workspace
        self.ruleset = ruleset
        self.life = life
        self.orders = orders
        self.bell = Bell()
        self.program = 0
        adopt()
        # Not left to the program: the kernel queues a new session anew, which costs it milliseconds.
        os.setsid()

    def run(self) -> None:
        alive = True
        while alive:
            ready, _, _ = select.select([self.orders, self.life], [], [])
            body, fds = receive(self.orders) if self.orders in ready else (b"", [])
            if not body:
                return
            self.launch = read(body)
            with socket.socket(fileno=fds[0]) as self.channel:
                self.begin(fds[1:])
                alive = self.keep()
            os.chdir("/")

    def begin(self, stdio: list[int]) -> None:
        """Start the program; where it cannot be, that is told, and there is nothing to keep."""
        about = "folder"
        try:
            self.enter(self.launch["folder"])
            about = "program"
            if self.launch["terminal"]:
                self.on_terminal()
            else:
                self.on_pipes(stdio)
        except OSError as problem:
            self.program = 0
            self.tell({"failed": problem.errno, "about": about})
        finally:
            for fd in stdio:
                os.close(fd)

    def enter(self, folder: str) -> None:
        if self.workspace < 0:
            os.chdir(folder)
            return
        os.fchdir(self.workspace)
        os.chdir(os.path.relpath(folder, self.settings["workspace"]))

    def keep(self) -> bool:
        """Until nothing is left of the program; False: the warden is gone."""
        poll = select.poll()
        for fd in (self.channel.fileno(), self.life, self.bell.reader):
            poll.register(fd, select.POLLIN)
        while self.reap():
            ready = dict(poll.poll())
            if self.bell.reader in ready:
                self.bell.hush()
            if self.life in ready:
                self.end()
                return False
            if self.channel.fileno() in ready:
                body = self.asked()
                if body:
                    self.end()
                elif body is not None:
                    poll.unregister(self.channel.fileno())  # nobody asks any more; it goes on
        return True

    def asked(self) -> bytes | None:
        """What the owner said; empty: it has closed its end. None: ask again.

        An end that was closed with something unread is a reset first, and what it had said comes after.
        """
        try:
            return receive(self.channel)[0]
        except ConnectionResetError:
            return None

    def reap(self) -> bool:
        """Tell how the program ended; False once nothing of it is left."""
        try:
            for pid, code in ended():
                if pid == self.program:
                    self.tell({"exit": code})
        except ChildProcessError:
            return False
        return True

    def end(self) -> None:
        end(lambda: tree(os.getpid(), ()))
        self.tell({"exit": -signal.SIGKILL})

    def tell(self, message: Message) -> None:
        with suppress(OSError):  # nobody may want to know
            send(self.channel, message)

    def on_pipes(self, stdio: list[int]) -> None:
        if not self.launch["feed"]:
            stdio.insert(0, os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        self.start([(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(stdio)])
        self.tell({"started": self.program})

    def on_terminal(self) -> None:
        master, slave = os.openpty()
        try:
            rows, columns = self.launch["terminal"]
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            # The leader of a session that opens a terminal gets it as its own.
            opening = (os.POSIX_SPAWN_OPEN, 0, os.ttyname(slave), os.O_RDWR, 0)
            self.start([opening, (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)])
            with suppress(OSError):  # nobody may want to know
                send(self.channel, {"started": self.program}, [master])
        finally:
            os.close(master)
            os.close(slave)

    def start(self, actions: list[Action]) -> None:
        argv, environment = self.launch["argv"], self.launch["environment"]
        path = found(argv[0], environment.get("PATH", ""))
        if self.settings["filter"]:
            code = bytes.fromhex(self.settings["filter"])
            self.program = restricted(
                path, argv, environment, actions, lambda: restrict(self.ruleset, code)
            )
        else:
            leads = bool(self.launch["terminal"])
            self.program = spawned(path, argv, environment, actions, leads=leads)
