"""Severity: critical (C1). A folder is swapped for a link between two looks at it: while a sandbox is opened,
or while
nobody runs and a change was left half made.
"""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workspaces.sandbox.needs import needs_bubblewrap

CANARY = "canary-51c0"


class Terminal:
    """Somebody at this machine, who uses the command line in one folder."""

    def __init__(self, place: Path, home: Path) -> None:
        self.place = place
        self.home = home
        self.folder = place / "work"
        self.folder.mkdir()
        self.environment = dict(os.environ)

    def model(self, *calls: tuple[str, dict[str, Any]]) -> str:
        turns = [[{"do": "call", "name": name, "input": given}] for name, given in calls]
        path = self.place / "model.json"
        path.write_bytes(msgspec.json.encode([*turns, [{"do": "say", "text": "Done."}]]))
        return f"scripted/{path}"

    def bottega(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bottega", "--home", str(self.home), *words]
        return subprocess.run(
            command,
            cwd=self.place,
            env={**self.environment, **environment},
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.bottega("run", "--mode", "allow", "--json", *words, **environment)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: the sandbox is tested once a home."""
    return tmp_path_factory.mktemp("homes") / "home"


@pytest.fixture
def terminal(tmp_path: Path, home: Path) -> Terminal:
    return Terminal(tmp_path, home)


SWAPPING = """\
#!/bin/sh
# As bubblewrap does, but what it is to mount is swapped for a link right before, shields and all.
PATH=/usr/bin:/bin
case " $* " in *" {folder} "*) if [ ! -L {folder} ]; then
  find {folder} -mindepth 1 -maxdepth 1 -exec mv {{}} {target}/ ';'
  mv {folder} {folder}.aside; ln -s {target} {folder}
fi;; esac
exec {real} "$@"
"""


@needs_bubblewrap
def test_a_link_that_comes_between_opening_the_folder_and_mounting_it_is_noticed(
    terminal: Terminal, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, target = terminal.folder, terminal.place / "target"
    target.mkdir()
    (target / "private.txt").write_text(CANARY)
    programs = tmp_path_factory.mktemp("programs")
    real = subprocess.run(["which", "bwrap"], capture_output=True, text=True, check=True).stdout
    swapping = SWAPPING.format(folder=folder, target=target, real=real.strip())
    (programs / "bwrap").write_text(swapping)
    (programs / "bwrap").chmod(stat.S_IRWXU)
    model = terminal.model(("bash_exec", {"command": "cat private.txt; touch x"}))
    done = terminal.run("-C", str(folder), "--model", model, "look", PATH=str(programs))
    assert folder.is_symlink(), "the attack came that far"
    assert CANARY not in done.stdout + done.stderr
    assert '"is_error":true' in done.stdout
    assert not (target / "x").exists()


def test_what_a_dead_process_left_half_made_is_not_mended_through_a_link(
    terminal: Terminal,
) -> None:
    folder, target = terminal.folder, terminal.place / "target"
    target.mkdir()
    for place in (folder, target):
        (place / "a").write_text("old a\n")
        (place / "b").write_text("old b\n")
    edits = [
        {"file_path": name, "patches": [{"old_text": f"old {name}", "new_text": f"new {name}"}]}
        for name in "ab"
    ]
    reads = [("read_file", {"file_path": name}) for name in "ab"]
    model = terminal.model(*reads, ("multi_edit", {"edits": edits}))
    words = ("-C", str(folder), "--model", model, "change")
    done = terminal.run(*words, BOTTEGA_FAILPOINTS="files.after_rename=kill")
    assert done.returncode < 0, done.stdout + done.stderr
    listed = msgspec.json.decode(terminal.bottega("sessions", "--json").stdout)
    (target / "a").write_text((folder / "a").read_text())
    (target / "b").write_text((folder / "b").read_text())
    before = {each.name: each.read_text() for each in target.iterdir()}
    assert sorted(before.values()) != ["old a\n", "old b\n"], "something was half made"
    folder.rename(terminal.place / "aside")
    folder.symlink_to(target)
    done = terminal.run("--session", listed[0]["id"], "go on")
    assert {each.name: each.read_text() for each in target.iterdir()} == before
    undone = terminal.bottega("revert", listed[0]["id"], "--yes")
    assert undone.returncode
    assert {each.name: each.read_text() for each in target.iterdir()} == before
    folder.unlink()
    (terminal.place / "aside").rename(folder)
