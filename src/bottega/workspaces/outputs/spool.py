"""Bytes written to files as they come, with a cap: the first part and the last part stay, the middle is dropped.

They are cut into segments. A segment's name says at which byte it begins and how many lines ended before it, so that
whoever reads, in this process or another, now or after a crash, needs nothing but the names.
A disk that is full ends the keeping, never the program that prints.
"""

from collections import deque
from collections.abc import Callable
from io import FileIO
from pathlib import Path

MIB = 1024 * 1024
CAP = 256 * MIB
_SEGMENTS = 32


class Spool:
    """Not for two threads at once; every method may wait for the disk."""

    def __init__(
        self,
        folder: Path,
        head: int = CAP // 2,
        tail: int = CAP // 2,
        before: Callable[[int], None] = lambda size: None,
    ) -> None:
        """`before` is told the size of each segment ahead of it; an `OSError` that it raises ends the keeping."""
        self._folder = folder
        self._head = head
        self._tail = tail
        self._before = before
        self._segment = max(1, (head + tail) // _SEGMENTS)
        self._later: deque[tuple[Path, int]] = deque()
        """Segments after the head, with their sizes: the oldest goes first."""
        self._file: FileIO | None = None
        self._room = 0
        self.size = 0
        """All bytes that came, dropped ones too."""
        self.lines = 0
        """All line ends that came."""
        self.dropped = 0
        self.failed = ""
        """Why nothing more is kept."""

    def write(self, chunk: bytes) -> None:
        at = 0
        while at < len(chunk) and not self.failed:
            if not self._room:
                self._next()
                continue
            part = chunk[at : at + self._room]
            self._put(part)
            at += len(part)
        if at < len(chunk):
            self.dropped += len(chunk) - at
            self._count(chunk[at:])

    def close(self) -> None:
        if self._file:
            self._file.close()
            self._file = None
        self._room = 0

    def _put(self, part: bytes) -> None:
        assert self._file
        self._room -= len(part)
        try:
            view = memoryview(part)
            while view:
                view = view[self._file.write(view) :]
        except OSError as problem:
            self._fail(problem, len(part))
        self._count(part)

    def _count(self, part: bytes) -> None:
        self.size += len(part)
        self.lines += part.count(b"\n")

    def _next(self) -> None:
        """Begin a segment, and make room for it."""
        in_head = self.size < self._head
        self._room = min(self._segment, self._head - self.size) if in_head else self._segment
        path = self._folder / f"{self.size:015d}.{self.lines:012d}"
        try:
            if self._file:
                self._file.close()
            self._before(self._room)
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not in_head:
                while self._later and (len(self._later) + 1) * self._segment > self._tail:
                    oldest, size = self._later.popleft()
                    oldest.unlink(missing_ok=True)
                    self.dropped += size
                self._later.append((path, self._room))
            self._file = path.open("xb", buffering=0)
            path.chmod(0o600)
        except OSError as problem:
            self._fail(problem, 0)

    def _fail(self, problem: OSError, lost: int) -> None:
        self.failed = problem.strerror or str(problem)
        self.dropped += lost
        self.close()
