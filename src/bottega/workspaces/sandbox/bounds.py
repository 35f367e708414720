"""How much the programs of one sandbox may use, all together where the system can count that, else each."""

import os

import msgspec

GIB = 1 << 30


def machine() -> int:
    """Bytes of memory that this machine has, or is thought to have."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 8 * GIB


def _memory() -> int:
    """4 GiB, or three quarters of a smaller machine."""
    return min(4 * GIB, machine() * 3 // 4)


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    processes: int = 512
    memory: int = msgspec.field(default_factory=_memory)
    """Bytes."""
    file: int = 4 * GIB
    """Bytes of one file."""
    files: int = 4096
    """Open at once by one program."""
    cpu: int = 3600
    """Seconds of one program."""
    scratch: int = GIB
    """Bytes in /tmp, and as many in the home folder."""
    silence: float = 5.0
    """Seconds without a word of its owner after which a sandbox ends."""

    def rlimits(self) -> dict[str, int]:
        """What the kernel holds each program to."""
        return {
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_DATA": self.memory,
            "RLIMIT_FSIZE": self.file,
            "RLIMIT_NOFILE": self.files,
            "RLIMIT_CPU": self.cpu,
            "RLIMIT_CORE": 0,
        }

    def described(self, *, together: bool) -> str:
        """In words; `together`: counted for all programs of a sandbox."""
        counted = "together" if together else "each, by rlimits only"
        return (
            f"{self.processes} processes, {_size(self.memory)} of memory {counted}, "
            f"files up to {_size(self.file)}"
        )


def _size(count: int) -> str:
    return f"{count / GIB:.3g} GiB" if count >= GIB else f"{count >> 20} MiB"
