"""Landlock, by plain system calls: which files a program may touch, decided before it begins.

It can only allow. What lies inside an allowed folder cannot be shielded, and some calls (stat, chmod) it does not know:
`GAPS` names what it does not stop, which is why nothing runs unasked where it is all there is.
"""

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE, _ADD = 444, 445
_VERSION = 1
NEEDED = 3
"""The first version that knows `truncate`."""

_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights on files each version knows."""
_READ = 1 << 0 | 1 << 2 | 1 << 3
_FILE = 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
"""Write, read, truncate, and ask a device."""
_ON_FILES = _FILE | 1 << 0
_DEVICES = 1 << 6 | 1 << 11
_NET = 0b11
_SCOPED = 0b11

GAPS = {
    "shields": "git's hooks and settings, and Bottega's files in the workspace, can be changed",
    "metadata": "programs can see that a file outside exists, and how large it is",
    "modes": "programs can change the mode and the times of files of the same user outside",
    "users": "programs can read the names of this machine's users",
    "numbers": "programs can find out which process numbers are in use",
    "disk": "temporary files lie on the disk, and may fill it",
}
"""What it does not stop."""


def version() -> int:
    """0: the kernel has none."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        found = int(libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)))
    except (OSError, AttributeError):
        return 0
    return max(0, found)


class Ruleset:
    """A descriptor that a process restricts itself by, and all that it starts."""

    def __init__(self) -> None:
        known = version()
        self._known = (1 << _RIGHTS.get(known, 16)) - 1
        attributes = struct.pack("=QQQ", self._known, _NET, _SCOPED)
        size = 24 if known >= 6 else 16 if known >= 4 else 8
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self._call(_CREATE, attributes, ctypes.c_size_t(size), 0)
        os.set_inheritable(self.fd, False)

    def read(self, paths: Iterable[str]) -> None:
        """Files and folders that may be read, and programs in them that may be run."""
        for path in paths:
            self._allow(path, _READ)

    def use(self, paths: Iterable[str]) -> None:
        """Devices that may be written too, each by its own path: a folder would give what comes into it later."""
        for path in paths:
            if not os.path.isdir(path):
                self._allow(path, _FILE)

    def own(self, paths: Iterable[str]) -> None:
        """Folders in which everything may be done but making devices."""
        for path in paths:
            self._allow(path, ~_DEVICES)

    def _allow(self, path: str, rights: int) -> None:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return  # what is not there needs no right
        try:
            rights &= self._known
            if not os.path.isdir(f"/proc/self/fd/{fd}"):
                rights &= _ON_FILES
            self._call(_ADD, self.fd, 1, struct.pack("=Qi", rights, fd), 0)
        finally:
            os.close(fd)

    def _call(self, number: int, *arguments: object) -> int:
        answer = int(self._libc.syscall(number, *arguments))
        if answer < 0:
            code = ctypes.get_errno()
            raise OSError(code, f"Landlock: {os.strerror(code)}")
        return answer
