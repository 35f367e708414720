"""What the tests of the command line share: a home of their own, scripts, and ways to call the program."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bottega.cli.main import call
from bottega.providers.vendors import VENDORS
from tests.cli.vendor import Vendor, serving

PROGRAM = [sys.executable, "-m", "bottega"]


class Result(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Result]
Script = Callable[..., str]


def scrubbed(home: Path) -> dict[str, str]:
    """The environment without anything that would lead to a real provider, or change what is printed."""
    names = {name for vendor in VENDORS.values() for name in (*vendor.keys, *vendor.addresses)}
    names |= {
        "NO_COLOR",
        "COLUMNS",
        "LINES",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "https_proxy",
        "http_proxy",
    }
    kept = {k: v for k, v in os.environ.items() if k not in names and not k.startswith("BOTTEGA_")}
    source = Path(__file__).parents[2] / "src"
    return {**kept, "BOTTEGA_HOME": str(home), "TERM": "xterm-256color", "PYTHONPATH": str(source)}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder to work in, with two files."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "b.py").write_text("print(1)\n")
    return folder


@pytest.fixture
def env(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A scrubbed environment, for this process and for children."""
    clean = scrubbed(home)
    for name in os.environ.keys() - clean.keys():
        monkeypatch.delenv(name)
    for name, value in clean.items():
        monkeypatch.setenv(name, value)
    return clean


@pytest.fixture
def bottega(
    env: dict[str, str],
    work: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    """Call a command in this process, from the folder `work`."""
    assert env
    monkeypatch.chdir(work)

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        code = call(list(arguments))
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return run


@pytest.fixture
def child(env: dict[str, str], work: Path) -> Call:
    """Call a command in a process of its own."""

    def run(*arguments: str, stdin: str = "", more: Mapping[str, str] = {}) -> Result:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env={**env, **more},
            cwd=work,
            timeout=30,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write a script for the scripted provider; returns the name of its model."""
    made: list[Path] = []

    def write(*turns: list[dict[str, Any]]) -> str:
        path = tmp_path / f"script-{len(made)}.json"
        path.write_text(json.dumps({"turns": [{"steps": steps} for steps in turns]}))
        made.append(path)
        return f"scripted/{path}"

    return write


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    """A provider on this machine that answers as the test says."""
    with serving() as running:
        yield running


def say(text: str, **more: Any) -> dict[str, Any]:
    return {"do": "say", "text": text, **more}


def one_sentence(result: Result) -> str:
    """The failure that was said, after checking that it is one line without a trace of the program's inside."""
    assert result.code != 0
    assert "Traceback" not in result.err
    lines = result.err.strip().split("\n")
    assert len(lines) == 1, result.err
    assert lines[0].startswith("bottega: ")
    return lines[0].removeprefix("bottega: ")
