"""The one thread that writes: jobs of many sessions become one transaction, and one fsync.

A job that someone waits for commits at once, but at least `URGENT_PAUSE` after the last commit, so that other processes
get in; a group of mere deltas waits until `DELTA_PAUSE` after it. A job has a savepoint of its own, unless it refuses
before it writes: one that is refused never takes its neighbours with it. A failed commit fails its whole group, and
nothing of it is shown.
"""

import sqlite3
import threading
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bottega.errors import Problem, StorageFailed
from bottega.failpoint import failpoint
from bottega.storage.sqlite import connect, explain

URGENT_PAUSE = 0.001
DELTA_PAUSE = 0.010

Done = Callable[[Any, BaseException | None], None]


class Job:
    """Something to do inside the next transaction, and whom to tell how it ended."""

    __slots__ = ("clean", "done", "failure", "loop", "result", "urgent", "work")

    def __init__(
        self,
        work: Callable[[sqlite3.Connection], Any],
        done: Done,
        loop: AbstractEventLoop,
        *,
        urgent: bool,
        clean: bool = False,
    ) -> None:
        self.work = work
        self.clean = clean
        """It refuses, if it does, before it has written anything: it needs no savepoint."""
        self.done = done
        self.loop = loop
        self.urgent = urgent
        self.result: Any = None
        self.failure: BaseException | None = None


class Writer:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = connect(path)
        self._wake = threading.Condition()
        self._jobs: list[Job] = []
        self._urgent = False
        self._closing = False
        self._last_commit = 0.0
        self.commits = 0
        self.on_commit: Callable[[float], None] | None = None
        """Is told in the writer's thread how many seconds a commit took."""
        self._thread = threading.Thread(target=self._run, name="bottega-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Have `job` done in the next transaction; its `done` is called in its loop."""
        with self._wake:
            if self._closing:
                raise StorageFailed("The database is closed.")
            self._jobs.append(job)
            sooner = job.urgent and not self._urgent
            self._urgent = self._urgent or job.urgent
            if sooner or len(self._jobs) == 1:
                self._wake.notify()

    def hurry(self, job: Job) -> None:
        """Someone waits for a job that was submitted as one nobody waits for."""
        with self._wake:
            job.urgent = True
            if not self._urgent:
                self._urgent = True
                self._wake.notify()

    def close(self) -> None:
        """Do what was submitted, then stop."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while jobs := self._next_group():
            began = time.monotonic()
            self._commit(jobs)
            self._last_commit = time.monotonic()
            self.commits += 1
            if self.on_commit:
                self.on_commit(self._last_commit - began)
            _report(jobs)

    def _next_group(self) -> list[Job]:
        with self._wake:
            while True:
                if self._jobs:
                    pause = URGENT_PAUSE if self._urgent else DELTA_PAUSE
                    wait = self._last_commit + pause - time.monotonic()
                    if wait <= 0 or self._closing:
                        jobs, self._jobs, self._urgent = self._jobs, [], False
                        return jobs
                    self._wake.wait(wait)
                elif self._closing:
                    return []
                else:
                    self._wake.wait()

    def _commit(self, jobs: list[Job]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                self._do(job)
            failpoint("storage.before_commit")
            connection.execute("COMMIT")
            failpoint("storage.after_commit")
        except Exception as error:
            self._give_up(jobs, error)

    def _do(self, job: Job) -> None:
        if not job.clean:
            self._do_apart(job)
            return
        try:
            job.result = job.work(self._connection)
        except Problem as refusal:
            job.failure = refusal

    def _do_apart(self, job: Job) -> None:
        connection = self._connection
        connection.execute("SAVEPOINT job")
        try:
            job.result = job.work(connection)
        except Exception as error:
            if _is_of_the_disk(error):
                raise  # not this job's fault: the group fails as one
            connection.execute("ROLLBACK TO job")
            job.failure = error
        connection.execute("RELEASE job")

    def _give_up(self, jobs: list[Job], error: Exception) -> None:
        reason = explain(error, self._path)
        for job in jobs:
            # What was not stored must not be shown, so the results go too.
            job.result, job.failure = None, reason
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._reopen()

    def _reopen(self) -> None:
        """A connection that cannot even roll back is replaced; closing it rolls back."""
        self._connection.close()
        with suppress(StorageFailed):  # the next group tries again
            self._connection = connect(self._path)


def _is_of_the_disk(error: Exception) -> bool:
    if isinstance(error, sqlite3.OperationalError):
        # A statement that is wrong in itself is the job's own fault.
        return getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_ERROR
    return isinstance(error, OSError)


def _report(jobs: list[Job]) -> None:
    """One wake-up for each event loop, however many jobs it has in the group."""
    by_loop: dict[AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, mine in by_loop.items():
        try:
            loop.call_soon_threadsafe(_tell, mine)
        except RuntimeError:
            continue  # that loop is closed: nobody is left to hear it


def _tell(jobs: list[Job]) -> None:
    for job in jobs:
        job.done(job.result, job.failure)
