"""The warden: the first process of a sandbox. It starts programs for the owner outside, and ends all when the owner is silent.

Run by itself, with the standard library only, on whatever Python 3.8+ the sandbox has. Each program has a keeper, a
fork of the warden that holds everything the program starts: whatever loses its parent becomes the keeper's child. So
no program leaves its keeper's tree, and no keeper outlives the warden.
"""

import array
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import termios
import time

LARGEST = 190_000
"""Bytes of one message."""
_FDS = 8
_DUMPABLE, _NO_NEW_PRIVS, _SECCOMP, _SUBREAPER = 4, 38, 22, 36
_RESTRICT_SELF = 446
_RESET = [each for each in signal.valid_signals() if each not in (signal.SIGKILL, signal.SIGSTOP)]
_libc = ctypes.CDLL(None, use_errno=True)


def send(channel, message, fds=()):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    channel.sendmsg([json.dumps(message).encode()], rights)


def receive(channel):
    """A message and the descriptors that came with it; None: the other end is gone."""
    size = array.array("i").itemsize * _FDS
    body, rights, _flags, _ = channel.recvmsg(
        LARGEST, socket.CMSG_SPACE(size), socket.MSG_CMSG_CLOEXEC
    )
    fds = array.array("i")
    for level, kind, given in rights:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(given[: len(given) - len(given) % fds.itemsize])
    if not body:
        return None, list(fds)
    return json.loads(body.decode("utf-8", "surrogateescape")), list(fds)


def control(option, value):
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


class Bell:
    """Becomes readable when a child has ended."""

    def __init__(self):
        self.reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def hush(self):
        try:
            while os.read(self.reader, 512):
                pass
        except BlockingIOError:
            pass


def ended():
    """Each child that has ended, with how; raises ChildProcessError where no child is left."""
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        yield pid, os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


class Warden:
    def __init__(self, owner):
        self.owner = owner
        self.bell = Bell()
        self.keepers = set()
        # Nobody writes to it: whoever reads its end learns that the warden is gone.
        self.life, self.lifeline = os.pipe2(os.O_CLOEXEC)
        control(_DUMPABLE, 0)
        control(_SUBREAPER, 1)
        self.settings, fds = receive(owner)
        self.ruleset = fds[0] if fds else -1
        for name, value in self.settings["limits"].items():
            lower(getattr(resource, name), value)
        os.environ.clear()

    def run(self):
        poll = select.poll()
        poll.register(self.owner, select.POLLIN)
        poll.register(self.bell.reader, select.POLLIN)
        heard = time.monotonic()
        silence = self.settings["silence"]
        while time.monotonic() - heard < silence:
            ready = dict(poll.poll(1000 * max(0.0, heard + silence - time.monotonic())))
            if self.bell.reader in ready:
                self.bell.hush()
                self.reap()
            if self.owner.fileno() in ready:
                message, fds = receive(self.owner)
                if message is None:
                    return
                heard = time.monotonic()
                self.obey(message, fds)

    def obey(self, message, fds):
        try:
            if "argv" in message:
                self.launch(message, fds)
            elif "listen" in message:
                self.listen()
        finally:
            for fd in fds:
                os.close(fd)

    def launch(self, message, fds):
        try:
            pid = os.fork()
        except OSError as problem:
            send(socket.socket(fileno=os.dup(fds[0])), {"failed": problem.errno, "about": ""})
            return
        if pid:
            self.keepers.add(pid)
            return
        code = 1
        try:
            self.owner.close()
            os.close(self.lifeline)
            code = Keeper(self, message, fds).run()
        finally:
            os._exit(code)

    def listen(self):
        """A place inside that programs can connect to, and that the owner outside answers."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            send(self.owner, {"port": listener.getsockname()[1]}, [listener.fileno()])

    def reap(self):
        murdered = False
        try:
            for pid, code in ended():
                murdered |= pid in self.keepers and code != 0
                self.keepers.discard(pid)
        except ChildProcessError:
            return
        if murdered:  # what it kept is ours now
            end(lambda: tree(os.getpid(), self.keepers), self.keepers.discard)

    def close(self):
        """Wait until every keeper has ended what it kept."""
        os.close(self.lifeline)
        until = time.monotonic() + 5
        while self.keepers and time.monotonic() < until:
            select.select([self.bell.reader], [], [], 0.1)
            self.bell.hush()
            self.reap()
        end(lambda: tree(os.getpid(), ()))


class Keeper:
    """Starts one program, tells how it ended, and ends all of it when told to."""

    def __init__(self, warden, launch, fds):
        self.settings = warden.settings
        self.ruleset = warden.ruleset
        self.life = warden.life
        self.launch = launch
        self.channel = socket.socket(fileno=fds[0])
        self.stdio = fds[1:]
        self.bell = Bell()
        self.program = 0
        control(_SUBREAPER, 1)

    def run(self):
        try:
            self.begin()
        except OSError as problem:
            send(self.channel, {"failed": problem.errno, "about": str(problem.filename or "")})
            return 0
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
                if self.heard_kill():
                    return self.end()
                poll.unregister(self.channel.fileno())  # nobody asks any more; it goes on

    def heard_kill(self):
        try:
            message, _ = receive(self.channel)
        except OSError:
            return False
        return message is not None

    def reap(self):
        """Tell how the program ended; False once nothing of it is left."""
        try:
            for pid, code in ended():
                if pid == self.program:
                    self.tell({"exit": code})
        except ChildProcessError:
            return False
        return True

    def end(self):
        end(lambda: tree(os.getpid(), ()))
        self.tell({"exit": -signal.SIGKILL})
        return 0

    def tell(self, message):
        try:
            send(self.channel, message)
        except OSError:
            pass

    def begin(self):
        os.chdir(self.launch["folder"])
        environment = self.launch["environment"]
        if self.launch["terminal"]:
            self.on_terminal(environment)
            return
        given = list(self.stdio)
        if not self.launch["feed"]:
            given.insert(0, os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        self.start(environment, [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(given)])
        for fd in given:
            os.close(fd)
        send(self.channel, {"started": self.program})

    def on_terminal(self, environment):
        master, slave = os.openpty()
        size = struct.pack("HHHH", *self.launch["terminal"], 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        # The leader of a session that opens a terminal gets it as its own.
        opening = (os.POSIX_SPAWN_OPEN, 0, os.ttyname(slave), os.O_RDWR, 0)
        copies = [(os.POSIX_SPAWN_DUP2, 0, at) for at in (1, 2)]
        self.start(environment, [opening, *copies])
        os.close(slave)
        send(self.channel, {"started": self.program}, [master])
        os.close(master)

    def start(self, environment, actions):
        argv = self.launch["argv"]
        path = found(argv[0], environment.get("PATH", ""))
        if self.settings["filter"]:
            self.program = restricted(path, argv, environment, actions, self.restrict)
        else:
            self.program = os.posix_spawn(
                path,
                argv,
                environment,
                file_actions=actions,
                setsid=True,
                setsigmask=[],
                setsigdef=_RESET,
            )

    def restrict(self):
        """In the program's own process, just before it becomes the program."""
        control(_NO_NEW_PRIVS, 1)
        if self.ruleset >= 0 and _libc.syscall(_RESTRICT_SELF, self.ruleset, 0) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
        code = bytes.fromhex(self.settings["filter"])
        held = ctypes.create_string_buffer(code, len(code))
        program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held))
        if _libc.prctl(_SECCOMP, 2, ctypes.c_char_p(program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")


def found(name, path):
    """The file of a program, as a shell finds it."""
    if "/" in name:
        return name
    here = [os.path.join(folder, name) for folder in path.split(":") if folder]
    files = [each for each in here if os.path.isfile(each)]
    runnable = [each for each in files if os.access(each, os.X_OK)]
    if not files:
        raise OSError(errno.ENOENT, "", name)
    return (runnable or files)[0]


def restricted(path, argv, environment, actions, restrict):
    """What posix_spawn does, with a step before the program begins; raises where it did not."""
    said, says = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            signal.set_wakeup_fd(-1)
            for each in _RESET:
                signal.signal(each, signal.SIG_DFL)
            os.setsid()
            for kind, *action in actions:
                if kind == os.POSIX_SPAWN_OPEN:
                    os.dup2(os.open(*action[1:]), action[0])
                else:
                    os.dup2(*action)
            restrict()
            os.execve(path, argv, environment)
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


def lower(kind, value):
    """Set a limit, never above the one that holds already."""
    _, most = resource.getrlimit(kind)
    value = value if most == resource.RLIM_INFINITY else min(value, most)
    resource.setrlimit(kind, (value, value))


def tree(root, spared):
    """Every process beneath `root`, without those spared and what is beneath them."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/" + name + "/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue  # it has ended meanwhile
            children.setdefault(int(parent), []).append((int(name), state))
    found, left = [], [root]
    while left:
        for pid, state in children.get(left.pop(), ()):
            if pid not in spared:
                left.append(pid)
                if state not in b"ZX":
                    found.append(pid)
    return found


def end(living, reaped=lambda pid: None):
    """Kill until nothing lives. All are stopped first, so that none makes another meanwhile."""
    while True:
        found = living()
        for order in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                try:
                    os.kill(pid, order)
                except ProcessLookupError:
                    pass
        try:
            for pid, _ in ended():
                reaped(pid)
        except ChildProcessError:
            return
        if not found and not living():
            return
        time.sleep(0.0005)


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    number = int(sys.argv[1])
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd != number:
            try:
                os.close(fd)
            except OSError:
                pass  # it was the listing's own
    owner = socket.socket(fileno=number)
    owner.set_inheritable(False)
    warden = Warden(owner)
    send(owner, {"ready": sys.version_info[:2]})
    try:
        warden.run()
    finally:
        if os.getpid() != 1:
            warden.close()
        os._exit(0)


if __name__ == "__main__":
    main()
