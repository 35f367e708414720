"""The home: the one folder that holds the database, blobs, keys and the locks that say who is alive.

Every process that uses a home holds `home/lock` shared for its life; a migration needs it alone. A worker also holds
`home/workers/<id>` exclusively: whoever can take that lock knows that the worker is dead.
"""

import fcntl
import os
import re
import time
from hashlib import sha256
from pathlib import Path

from bottega.errors import Misconfigured, StorageFailed

_NETWORK = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "afs",
    "9p",
    "ceph",
    "glusterfs",
    "fuse.sshfs",
    "ncpfs",
}
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Home:
    def __init__(self, path: Path, patience: float = 5.0) -> None:
        self.path = path
        self.patience = patience
        """Seconds that a migration waits for others to leave."""
        self._lock = -1

    @property
    def database(self) -> Path:
        return self.path / "bottega.db"

    @property
    def blobs(self) -> Path:
        return self.path / "blobs"

    @property
    def workers(self) -> Path:
        return self.path / "workers"

    @property
    def backups(self) -> Path:
        return self.path / "backups"

    @property
    def outputs(self) -> Path:
        """What commands printed, a folder a session."""
        return self.path / "outputs"

    @property
    def quarantine(self) -> Path:
        """The beginnings of what was planted for git and taken away, a folder a person."""
        return self.path / "sandbox" / "quarantine"

    @property
    def agents(self) -> Path:
        """The user's own agents, a file each."""
        return self.path / "agents"

    @property
    def workspaces(self) -> Path:
        return self.path / "workspaces"

    def workspace(self, folder: str) -> Path:
        """What is kept of a folder that is worked in: its fence, and what commands found there. By its real path."""
        return self.workspaces / sha256(os.fsencode(folder)).hexdigest()[:32]

    def enter(self) -> None:
        """Make the folder if it is missing and say that this process uses it."""
        refuse_network(self.path, mounts())
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.blobs, self.workers, self.backups):
                folder.mkdir(exist_ok=True, mode=0o700)
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageFailed(
                f"The home {str(self.path)!r} cannot be used: {error.strerror or error}.",
                hint="Make it writable, or point BOTTEGA_HOME at another folder.",
            ) from error
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def alone(self) -> bool:
        """Try to be the only process in this home; while others stay, give up after `patience` seconds."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return False
                # Two that wait while holding the shared lock would wait for each other.
                fcntl.flock(self._lock, fcntl.LOCK_UN)
                time.sleep(0.02)
            else:
                return True

    def together(self) -> None:
        """Let others in again."""
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def leave(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


class Life:
    """A worker's proof of life: a lock that the kernel drops when the process ends, however it ends."""

    def __init__(self, home: Home, worker: str) -> None:
        self.worker = worker
        self._path = home.workers / worker
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def end(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def is_dead(home: Home, worker: str) -> bool:
    """Whether that worker's process is gone. The one that asks must not be that worker."""
    path = home.workers / worker
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        path.unlink(missing_ok=True)
        return True
    finally:
        os.close(file)


def mounts() -> str:
    """The system's table of mounts; empty where it has none."""
    try:
        return Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
    except OSError:
        return ""


def refuse_network(path: Path, table: str) -> None:
    """SQLite's locks do not hold on network file systems, so a home there would lose data."""
    # The folder behind a link is where the bytes will be.
    kind = file_system(str(path.resolve()), table)
    if kind in _NETWORK:
        raise Misconfigured(
            f"The home {str(path)!r} is on a network file system ({kind}), where locks do not hold.",
            hint="Point BOTTEGA_HOME at a folder on a local disk.",
        )


def file_system(target: str, table: str) -> str:
    """The type of the file system that holds an absolute path, by a table such as `/proc/self/mountinfo`."""
    best, kind = "", ""
    for line in table.splitlines():
        left, _, right = line.partition(" - ")
        mount = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), left.split()[4])
        inside = target == mount or target.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, right.split()[0]
    return kind
