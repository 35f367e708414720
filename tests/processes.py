"""Other processes, real ones: what a test needs to kill, starve or run beside itself."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def run(
    code: str, *arguments: str | Path, failpoints: str = "", seconds: float = 20
) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in a process of its own, to its end; `arguments` are its `sys.argv[1:]`."""
    return subprocess.run(
        _command(code, arguments),
        capture_output=True,
        text=True,
        timeout=seconds,
        env=_environment(failpoints),
        check=False,
    )


@contextmanager
def running(
    code: str, *arguments: str | Path, failpoints: str = ""
) -> Iterator[subprocess.Popen[str]]:
    """The same, until the block ends; entered once the process has printed its first line."""
    process = subprocess.Popen(
        _command(code, arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(failpoints),
    )
    try:
        assert process.stdout
        assert process.stderr
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate(timeout=20)


def children() -> set[int]:
    """The processes that this one has started and not yet seen end."""
    found: set[int] = set()
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, _, rest = each.read_text().partition(" ")
            if int(rest.rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(pid))
    return found


def _command(code: str, arguments: tuple[str | Path, ...]) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]


def _environment(failpoints: str) -> dict[str, str]:
    return {**os.environ, "BOTTEGA_FAILPOINTS": failpoints}
