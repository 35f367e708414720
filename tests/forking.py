"""Processes that are forked from one that has everything imported: each costs milliseconds instead of a second.

What runs in them is the real program, in a process of its own, with its own environment, folder and streams.
"""

import io
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bottega import failpoint

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.forking_preload"])


class Handle:
    """A file descriptor that is handed to the child."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __getstate__(self) -> Any:
        from multiprocessing.reduction import DupFd

        return DupFd(self.number)

    def __setstate__(self, state: Any) -> None:
        self.number = state.detach()


class Program:
    """`bottega ARGUMENTS` with both of its streams read by a test; has what tests use of `subprocess.Popen`."""

    def __init__(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        reads_out, out = os.pipe()
        reads_err, err = os.pipe()
        given = (list(arguments), str(folder), dict(environment), Handle(out), Handle(err))
        self._process = CONTEXT.Process(target=_live, args=given)
        self._process.start()
        os.close(out)
        os.close(err)
        self.stdout = os.fdopen(reads_out, "r", encoding="utf-8")
        self.stderr = os.fdopen(reads_err, "r", encoding="utf-8")

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        if self._process.is_alive():
            os.kill(self.pid, number)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """What is left in its streams, once it has ended."""
        with ThreadPoolExecutor(2) as threads:
            reading = [threads.submit(_rest, each) for each in (self.stdout, self.stderr)]
            self._process.join(timeout)
            if self._process.exitcode is None:
                self.kill()
                raise subprocess.TimeoutExpired("bottega", timeout)
            return reading[0].result(), reading[1].result()


def _rest(stream: io.TextIOBase) -> str:
    if stream.closed:
        return ""
    with stream:
        return stream.read()


def _live(
    arguments: list[str], folder: str, environment: dict[str, str], out: Handle, err: Handle
) -> None:
    for number, handle in enumerate((out, err), start=1):
        os.dup2(handle.number, number)
        os.close(handle.number)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1, closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    failpoint.arm(environment.get("BOTTEGA_FAILPOINTS", ""))

    from bottega.cli.main import main

    main(arguments)
