"""Other processes, real ones: what a test needs to kill, starve or run beside itself."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def start(code: str, *arguments: str | Path, failpoints: str = "") -> subprocess.Popen[str]:
    """Run a piece of Python in a process of its own; `arguments` are its `sys.argv[1:]`."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BOTTEGA_FAILPOINTS": failpoints},
    )


def run(code: str, *arguments: str | Path, failpoints: str = "") -> subprocess.Popen[str]:
    """The same, to its end; its output is in `answer`."""
    process = start(code, *arguments, failpoints=failpoints)
    out, err = process.communicate(timeout=20)
    process.answer = out.strip()  # type: ignore[attr-defined]
    process.complaint = err.strip()  # type: ignore[attr-defined]
    return process


@contextmanager
def running(
    code: str, *arguments: str | Path, failpoints: str = ""
) -> Iterator[subprocess.Popen[str]]:
    """The same, until the block ends; entered once the process has printed its first line."""
    process = start(code, *arguments, failpoints=failpoints)
    try:
        assert process.stdout
        assert process.stderr
        line = process.stdout.readline()
        assert line, process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate(timeout=20)
