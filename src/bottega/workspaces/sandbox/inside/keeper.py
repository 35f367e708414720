"""The keeper of one program: starts it, tells how it ended, and ends everything that came of it when told to."""

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
    def __init__(self, settings: Message, ruleset: int, life: int, orders: socket.socket) -> None:
        """`life` ends with the warden; what to start comes by `orders`."""
        self.settings = settings
        self.ruleset = ruleset
        self.life = life
        self.orders = orders
        self.bell = Bell()
        self.program = 0
        adopt()
        # Not left to the program: the kernel queues a new session anew, which costs it milliseconds.
        os.setsid()

    def run(self) -> int:
        ready, _, _ = select.select([self.orders, self.life], [], [])
        if self.orders not in ready:
            return 0
        body, fds = receive(self.orders)
        if not body:
            return 0
        self.orders.close()
        self.launch = read(body)
        self.channel = socket.socket(fileno=fds[0])
        self.stdio = fds[1:]
        about = "folder"
        try:
            os.chdir(self.launch["folder"])
            about = "program"
            self.begin()
        except OSError as problem:
            self.tell({"failed": problem.errno, "about": about})
            return 0
        return self.keep()

    def keep(self) -> int:
        poll = select.poll()
        for fd in (self.channel.fileno(), self.life, self.bell.reader):
            poll.register(fd, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            if self.bell.reader in ready:
                self.bell.hush()
                if not self.reap():
                    return 0
            if self.life in ready:
                return self.end()
            if self.channel.fileno() in ready:
                body = self.asked()
                if body:
                    return self.end()
                if body is not None:
                    poll.unregister(self.channel.fileno())  # nobody asks any more; it goes on

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

    def end(self) -> int:
        end(lambda: tree(os.getpid(), ()))
        self.tell({"exit": -signal.SIGKILL})
        return 0

    def tell(self, message: Message) -> None:
        with suppress(OSError):  # nobody may want to know
            send(self.channel, message)

    def begin(self) -> None:
        if self.launch["terminal"]:
            self.on_terminal()
            return
        given = list(self.stdio)
        if not self.launch["feed"]:
            given.insert(0, os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        self.start([(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(given)])
        for fd in given:
            os.close(fd)
        self.tell({"started": self.program})

    def on_terminal(self) -> None:
        master, slave = os.openpty()
        rows, columns = self.launch["terminal"]
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        # The leader of a session that opens a terminal gets it as its own.
        opening = (os.POSIX_SPAWN_OPEN, 0, os.ttyname(slave), os.O_RDWR, 0)
        self.start([opening, (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)])
        os.close(slave)
        send(self.channel, {"started": self.program}, [master])
        os.close(master)

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
