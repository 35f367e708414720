"""Severity: critical. A program names folders so that the next sandbox mounts others than it was meant to.

What is shielded in a workspace is mounted by its path, and programs choose these paths: none of them is more than a
name to whatever starts the sandbox, and what was really mounted is looked at before any program starts.
"""

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.inside.mounts import strange
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Launch
from bottega.workspaces.sandbox.walls.ordered import ordered
from tests.hunt import LONG
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap

UP = "..{control.__doc__:.0}"
"""Formatted as a template, this is `..`."""
NAMES = (
    *("{", "}", "{}", "{0}", "{x}", "{control}", "{status}", "a{control.imag}", "%s", "%(x)s"),
    *(
        "$HOME",
        "$(id)",
        "`id`",
        "--bind",
        "--",
        "-",
        "a b",
        "a\tb",
        "a\nb",
        "a\\040b",
        "é",
        "'",
        '"',
    ),
)


@needs_bubblewrap
async def test_a_name_like_a_template_leads_out_of_no_workspace(tmp_path: Path) -> None:
    with rooms.open_folder() as base:
        workspace, secrets = base / "ws", base / "secrets"
        workspace.mkdir()
        secrets.mkdir()
        (secrets / "private.txt").write_text("CANARY")
        _repository(workspace)
        local = Local(tmp_path / "state")
        planted = f".git/modules/{UP}/{UP}/{UP}/ws"
        await _run(local, workspace, f"mkdir -p '{planted}' && echo r > '{planted}/HEAD'")
        said = await _run(
            local, workspace, "cat ../secrets/private.txt; ls ..; echo x > ../secrets/made; true"
        )
        assert "CANARY" not in said
        assert "secrets" not in said.split("\n")
        assert os.listdir(secrets) == ["private.txt"]


@needs_bubblewrap
async def test_whatever_a_submodule_is_called_its_settings_cannot_be_written(
    tmp_path: Path,
) -> None:
    with rooms.open_folder() as base:
        workspace = base / "ws"
        workspace.mkdir()
        _repository(workspace)
        modules = workspace / ".git" / "modules"
        for name in (*NAMES, "a0"):
            inner = modules / name
            (inner / "objects").mkdir(parents=True)
            (inner / "refs").mkdir()
            (inner / "HEAD").write_text("ref: refs/heads/main\n")
            (inner / "config").write_text("[core]\n\tbare = false\n")
        said = await _run(
            Local(tmp_path / "state"),
            workspace,
            'for f in .git/modules/*/config; do ( echo "[core] fsmonitor = x" >> "$f" ) 2>/dev/null'
            ' && echo "WRITTEN $f"; done; echo done',
        )
        assert said.strip().endswith("done")
        assert "WRITTEN" not in said


TABLE = (
    b"1 0 0:1 / / ro,nosuid - tmpfs tmpfs rw\n"
    b"2 1 0:2 /srv/a\\040b /srv/a\\040b rw - ext4 /dev/x rw\n"
    b"3 2 0:2 /srv/a\\040b/.git/config /srv/a\\040b/.git/config ro - ext4 /dev/x rw\n"
    b"4 1 0:3 / /dev/null rw - devtmpfs x rw\n"
    b"5 1 0:2 /usr /usr ro - ext4 /dev/x rw\n"
)
COMMAND = (
    *("bwrap", "--ro-bind", "/usr", "/usr", "--bind", "/srv/a b", "/srv/a b"),
    *("--ro-bind", "/srv/a b/.git/config", "/srv/a b/.git/config", "--", "--bind", "/x", "/x"),
)


def test_the_kernels_table_is_compared_with_what_was_ordered() -> None:
    order = {**ordered(COMMAND, "/srv/a b"), "along": []}
    assert strange(order, TABLE) == []
    for what, line in {
        "the folder above": b"6 1 0:2 /srv /srv rw - ext4 /dev/x rw\n",
        "the system once more, writable": b"6 5 0:2 /usr /usr rw - ext4 /dev/x rw\n",
        "the workspace once more": b"6 2 0:2 /root /srv/a\\040b rw - ext4 /dev/x rw\n",
        "another file in place of the shield": b"6 3 0:2 /root/key /srv/a\\040b/.git/config ro - ext4 x rw\n",
        "something in the workspace": b"6 2 0:2 /root /srv/a\\040b/sub rw - ext4 /dev/x rw\n",
    }.items():
        assert strange(order, TABLE + line), what
    swapped = TABLE.replace(b"0:2 /srv/a\\040b/.git/config", b"0:2 /root/.ssh/id")
    assert strange(order, swapped)
    assert strange(order, TABLE.replace(b"config ro", b"config rw"))
    assert strange(order, b"".join(TABLE.splitlines(keepends=True)[:2]))


@needs_bubblewrap
async def test_a_folder_that_is_swapped_for_a_link_while_it_is_mounted_leads_nowhere(
    tmp_path: Path,
) -> None:
    with rooms.open_folder() as base:
        workspace = base / "ws"
        workspace.mkdir()
        (base / "private.txt").write_text("CANARY")
        _repository(workspace)
        local = Local(tmp_path / "state")
        with Root(workspace) as root:
            swapper = await local.open(root)
        try:
            running = await swapper.start(Launch((await _python(swapper), "-c", SWAP)))
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                with suppress(Problem):  # it was swapped, and so it is not opened
                    said = await _run(local, workspace, "cat ../private.txt; ls -a ..")
                    assert "CANARY" not in said
                    assert "private.txt" not in said
            await running.kill()
        finally:
            await swapper.close()


SECONDS = 60 if LONG else 1
SWAP = """
import ctypes, os, time
os.makedirs(".git/modules/x", exist_ok=True)
open(".git/modules/x/HEAD", "w").write("r")
os.symlink("../../..", ".git/modules/y")
libc = ctypes.CDLL(None)
begun = time.monotonic()
while time.monotonic() - begun < 120:
    for pause in (0.03, 0.012):
        libc.syscall(316, -100, b".git/modules/x", -100, b".git/modules/y", 2)
        time.sleep(pause)
"""


@needs_bubblewrap
async def test_no_program_makes_a_file_that_runs_as_its_owner(tmp_path: Path) -> None:
    with rooms.open_folder() as base:
        workspace = base / "ws"
        workspace.mkdir()
        await _run(
            Local(tmp_path / "state"),
            workspace,
            "cp /usr/bin/id a; chmod 4755 a; chmod u+s a; chmod g+s a; install -m 6755 a b; mkdir -m 2777 c;"
            " python3 -c 'import os; os.open(\"d\", os.O_CREAT | os.O_WRONLY, 0o6755); os.fchmod(3, 0o4755)'; true",
        )
        made = {each.name: each.lstat().st_mode for each in workspace.iterdir()}
        assert "a" in made
        assert not [name for name, mode in made.items() if mode & 0o6000]


def _repository(workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", workspace], check=True)


async def _python(sandbox: Opened) -> str:
    return (await rooms.bash(sandbox, "command -v python3")).out.strip()


async def _run(local: Local, workspace: Path, command: str) -> str:
    with Root(workspace) as root:
        sandbox = await local.open(root)
    try:
        return (await rooms.bash(sandbox, command)).out
    finally:
        await sandbox.close()
