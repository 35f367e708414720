"""An onlooker: a program of ours (rg, git) that looks at a workspace and hands its output on, piece by piece.

It sees an empty environment, and under Landlock can read only what was opened for it: a link that is swapped while it
looks leads nowhere. It never outlives its call, whether that ends, fails or is cancelled.
"""

import asyncio
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from bottega.workspaces.landlocked import restrict

_PIECE = 64 * 1024
_ERRORS = 4_000
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/libexec", "/etc/ld.so.cache")


_A_MOMENT = 0.25
"""Seconds after which it is asked what a program waits for."""


class Look(msgspec.Struct, frozen=True):
    """What to start, and what it may see."""

    argv: tuple[str, ...]
    """The first is the path of the program."""
    folder: int
    """The open folder in which it starts."""
    read: tuple[int, ...]
    """Open folders and files: it can open these and what lies in them, and nothing else."""
    handed: tuple[int, ...] = ()
    """Files in memory that it has open, by the same numbers."""
    environment: Mapping[str, str] = {}
    seconds: float = 20.0


class Seen(msgspec.Struct, frozen=True):
    code: int
    """Its exit code; negative where a signal ended it."""
    errors: str = ""
    late: bool = False
    """Its time was over."""
    enough: bool = False
    """The taker wanted no more."""
    stuck: str = ""
    """What kept it waiting, as `held_up` found out."""


async def look(
    asked: Look, take: Callable[[bytes], bool], held_up: Callable[[], str] | None = None
) -> Seen:
    """Run the program to its end; `take` gets its output in a thread, and returns False for enough.

    If it takes longer than a moment, `held_up` is asked in a thread for what could keep it waiting for ever; it is
    ended where there is something.
    """
    running = _Running(asked, take)
    work = asyncio.ensure_future(asyncio.to_thread(running.work))
    late, stuck = False, ""
    try:
        if held_up:
            done, _ = await asyncio.wait((work,), timeout=_A_MOMENT)
            stuck = "" if done else await asyncio.to_thread(held_up)
        if not stuck:
            done, _ = await asyncio.wait((work,), timeout=asked.seconds)
            late = not done
    finally:
        if not work.done():
            running.stop()
            await asyncio.wait((work,))
    return msgspec.structs.replace(work.result(), late=late, stuck=stuck)


class _Running:
    """One program, from its start to its end, in a thread; whoever stops it may do so before it starts."""

    def __init__(self, asked: Look, take: Callable[[bytes], bool]) -> None:
        self._asked = asked
        self._take = take
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def work(self) -> Seen:
        with tempfile.TemporaryFile() as errors:
            with self._started(errors.fileno()) as process:
                assert process.stdout is not None
                read = partial(os.read, process.stdout.fileno(), _PIECE)
                try:
                    enough = not all(map(self._take, iter(read, b"")))
                except BaseException:
                    self.stop()
                    raise
                if enough:
                    self.stop()
            errors.seek(0)
            told = errors.read(_ERRORS).decode(errors="replace")
            return Seen(process.returncode, told, enough=enough)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _started(self, errors: int) -> subprocess.Popen[bytes]:
        """Started by a thread of its own: what Landlock takes from it, it never gets back."""
        failed: list[BaseException] = []

        def start() -> None:
            try:
                self._start(errors)
            except BaseException as problem:
                failed.append(problem)

        thread = threading.Thread(target=start, name="onlooker")
        thread.start()
        thread.join()
        if failed:
            raise failed[0]
        assert self._process is not None
        return self._process

    def _start(self, errors: int) -> None:
        asked = self._asked
        with open(os.devnull, "rb") as nothing:  # before it can no longer be opened
            restrict(asked.read, (asked.argv[0], *_LIBRARIES))
            process = subprocess.Popen(
                asked.argv,
                stdin=nothing,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=f"/proc/self/fd/{asked.folder}",
                env=dict(asked.environment),
                pass_fds=asked.handed,
            )
        with self._lock:
            self._process = process
            if self._stopped:
                process.kill()
