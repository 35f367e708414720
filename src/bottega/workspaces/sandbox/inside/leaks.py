"""The self-test's program: tries what no program in a sandbox may do, and prints, as JSON, what it could.

It stands alone: it is given to a Python in the sandbox as text, with what it must not reach as its argument. Each try
is a process of its own, and harms nothing where it gets through.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
_KNOWN = {"PATH", "HOME", "LANG", "TERM", "USER", "TMPDIR", "LC_CTYPE"}
_NEW_USER, _FSOPEN, _THROUGH = 0x10000000, 430, 77


def read(path: str) -> bool:
    with open(path, "rb") as file:
        return bool(file.read(1))


def write(path: str, make: int = os.O_CREAT) -> bool:
    os.close(os.open(path, os.O_WRONLY | make, 0o644))
    return True


def make(folder: str) -> bool:
    """A file without a name: nothing of it is left."""
    os.close(os.open(folder, os.O_WRONLY | os.O_TMPFILE))
    return True


def connect(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(1)
        end.connect(address)
    return True


def sent(path: str) -> bool:
    """One of a pair of sockets for datagrams can be sent anywhere."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendto(b"x", path)
    return True


def opened(family: int, kind: int) -> bool:
    socket.socket(family, kind).close()
    return True


def rename(path: str) -> bool:
    os.rename(path, path + "-away")
    os.rename(path + "-away", path)
    return True


def signalled(pid: int) -> bool:
    os.kill(pid, 0)
    return True


def allowed(answer: int) -> bool:
    return answer >= 0


def powers() -> bool:
    with open("/proc/self/status", encoding="ascii") as file:
        said = dict(line.split(":", 1) for line in file)
    held = any(int(said[name], 16) for name in ("CapEff", "CapPrm", "CapBnd"))
    return held or said["NoNewPrivs"].strip() != "1" or said["Seccomp"].strip() != "2"


def variables() -> bool:
    with open("/proc/self/environ", "rb") as file:
        names = {entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry}
    return bool(names - _KNOWN)


def tries(given: dict[str, Any]) -> dict[str, Callable[[], bool]]:
    """What it tries, by what it would mean."""
    here, pid = given["workspace"], given["pid"]
    return {
        "files outside can be read": lambda: read(given["secret"]),
        "files outside can be written": lambda: write(given["secret"], 0),
        "the system can be written": lambda: make("/usr"),
        "the system's settings can be written": lambda: make("/etc"),
        "this machine's ports can be reached": lambda: connect(2, ("127.0.0.1", given["port"])),
        "abstract sockets can be reached": lambda: connect(1, "\0" + given["abstract"]),
        "sockets in the workspace can be reached": lambda: connect(1, os.path.join(here, "stream")),
        "datagrams reach sockets in the workspace": lambda: sent(os.path.join(here, "packets")),
        "raw packets can be sent": lambda: opened(17, socket.SOCK_RAW),
        "processes outside can be signalled": lambda: signalled(pid),
        "processes can be traced": lambda: allowed(_libc.ptrace(0, 0, 0, 0)),
        "namespaces can be made": lambda: allowed(_libc.unshare(_NEW_USER)),
        "things can be mounted": lambda: allowed(_libc.syscall(_FSOPEN, b"tmpfs", 0)),
        "git's hooks can be written": lambda: write(
            os.path.join(here, ".git", "hooks", "post-merge")
        ),
        "git's settings can be written": lambda: write(os.path.join(here, ".git", "config")),
        "git's folder can be renamed": lambda: rename(os.path.join(here, ".git")),
        "Bottega's files can be written": lambda: write(os.path.join(here, ".bottega.toml"), 0),
        "disks can be read": lambda: any(map(read, given["disks"])),
        "programs have powers": powers,
        "variables come along": variables,
    }


def through(attempt: Callable[[], bool]) -> bool:
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            with suppress(OSError):
                code = _THROUGH if attempt() else 0
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) == _THROUGH


def main() -> None:
    tried = tries(json.loads(sys.argv[1]))
    sys.stdout.write(json.dumps([what for what, attempt in tried.items() if through(attempt)]))


if __name__ == "__main__":
    main()
