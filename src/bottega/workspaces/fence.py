"""Keeps a worker that lost its lease from changing files: whoever changes some holds the workspace's lock, and shows
there that no newer generation of its session has been noted.

The comparison and the change happen under one lock, which the kernel drops with the process. So a worker that slept
anywhere before the lock finds the newer generation when it wakes, and one that dies inside leaves the lock free.
"""

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from bottega.errors import Conflict, Fenced, StorageFailed
from bottega.failpoint import failpoint

PATIENCE = 10.0
"""Seconds that a change waits for another process, which holds the lock for milliseconds as long as it runs."""


class Holds(Protocol):
    """A way into one workspace, or into all that a file lies in."""

    def held(self) -> AbstractContextManager[None]:
        """Be the only one that changes files there. Waits: use a thread."""
        ...


class Fence:
    """One session's way into a workspace. Without a session it is a person's: held alike, never refused."""

    def __init__(
        self, state: Path, session_id: str = "", generation: int = 0, *, patience: float = PATIENCE
    ) -> None:
        """`state` is the folder that the home keeps for the workspace; `generation` is the lease's."""
        assert "/" not in session_id
        self._state = state
        self._session_id = session_id
        self._generation = generation
        self._patience = patience

    @contextmanager
    def held(self) -> Generator[None]:
        """Be the only one that changes files here; refused once a newer generation is noted. Waits: use a thread."""
        lock = self._locked()
        try:
            self._pass()
            yield
        finally:
            os.close(lock)

    def take_over(self) -> None:
        """Note this generation, durably: from here on no older one changes anything. Waits: use a thread."""
        with self.held():
            failpoint("fence.after_take_over")

    def _locked(self) -> int:
        try:
            self._state.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self._state / "fence", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            raise _unusable(self._state, problem) from problem
        deadline = time.monotonic() + self._patience
        failpoint("fence.before_lock")
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(lock)
                    raise Conflict(
                        "Another process has been changing files of this workspace"
                        f" for {self._patience:g} s and does not go on.",
                        hint="Let it go on or end it, then try again.",
                    ) from None
                time.sleep(0.005)
            else:
                return lock

    def _pass(self) -> None:
        if not self._session_id:
            return
        noted = self._noted()
        if noted > self._generation:
            raise Fenced("Another worker has taken this session over; nothing was changed.")
        if noted < self._generation:
            self._note()

    @property
    def _path(self) -> Path:
        return self._state / "generations" / self._session_id

    def _noted(self) -> int:
        try:
            return int(self._path.read_bytes())
        except FileNotFoundError:
            return 0
        except (OSError, ValueError) as problem:
            # Who cannot tell must not write: the file is replaced whole, so this is damage.
            raise _unusable(self._path, problem) from problem

    def _note(self) -> None:
        path = self._path
        part = path.with_suffix(".part")
        try:
            path.parent.mkdir(exist_ok=True, mode=0o700)
            with part.open("wb") as file:
                file.write(b"%d" % self._generation)
                file.flush()
                os.fsync(file.fileno())
            part.rename(path)
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as problem:
            raise _unusable(path, problem) from problem


class Fences:
    """A person's way to files of one workspace: through its fence, and that of every other that they lie in.

    A session in a folder of a project, or above it, has another lock than one in the project itself.
    """

    def __init__(self, states: Callable[[str], Path], folder: str, *paths: str) -> None:
        """`states` gives the folder that the home keeps for a workspace; the paths are absolute."""
        above = {str(each) for path in paths for each in (Path(path), *Path(path).parents)}
        # Outermost first, whoever holds several: so nobody waits in a circle.
        known = [states(each) for each in sorted({folder, *above})]
        own = states(folder)
        self._fences = [Fence(state) for state in known if state == own or state.is_dir()]

    @contextmanager
    def held(self) -> Generator[None]:
        with ExitStack() as holding:
            for fence in self._fences:
                holding.enter_context(fence.held())
            yield


def _unusable(path: Path, problem: Exception) -> StorageFailed:
    why = problem.strerror if isinstance(problem, OSError) else problem
    return StorageFailed(
        f"{str(path)!r}, which keeps workers apart, cannot be used: {why}.",
        hint="Make the home writable and free some space there; a damaged file may be deleted while nothing runs.",
    )
