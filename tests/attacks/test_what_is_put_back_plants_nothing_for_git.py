"""Severity: high. Files that were only text when an agent wrote them are settings of a repository, or hooks, when
somebody puts them back: by undoing a session's work, by doing it again, or after a crash.
"""

import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bottega.events.facts import FileChange
from bottega.studio import Studio
from bottega.workspaces.changes.reconcile import settle
from bottega.workspaces.confine import Root
from bottega.workspaces.fence import Fence
from bottega.workspaces.git.proposed import refuse_plant
from tests.workers.test_acting import SAY, call
from tests.workspaces.sandbox.needs import needs_bubblewrap

SETTINGS = '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch {canary}; false"\n'
CLEAN = "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n' > x/config"
TEXT = "mkdir -p x/refs/heads x/objects/info; touch x/refs/keep x/objects/keep; {text}"
WAYS = {
    "settings into what is a repository by now": (
        "x/config",
        TEXT,
        f"rm x/config; {CLEAN}; echo 'ref: refs/heads/main' > x/HEAD",
        "echo 'ref:  refs/heads/main' > x/HEAD",
    ),
    "the last part of a repository": (
        "x/HEAD",
        f"mkdir -p x/refs x/objects; touch x/refs/k x/objects/k; {CLEAN}; echo 'ref: refs/heads/main' > x/HEAD",
        "rm x/HEAD",
        "rm x/config; {text}",
    ),
}


def outside(folder: Path, script: str) -> None:
    subprocess.run(["sh", "-c", script], cwd=folder, check=False, capture_output=True)


@needs_bubblewrap
@pytest.mark.parametrize("way", WAYS)
async def test_a_session_that_is_undone_makes_no_settings(
    home: Path, folder: Path, tmp_path: Path, scripted: Any, way: str
) -> None:
    canary = tmp_path / "canary"
    outside(folder, "git init -q")
    text = f"cat > x/config <<'END'\n{SETTINGS.format(canary=canary)}END\n"
    async with Studio(home) as studio:
        sessions: list[Any] = []
        path, *scripts = WAYS[way]
        for script in scripts:
            model = scripted([call("bash_exec", command=script.replace("{text}", text))], SAY)
            session = await studio.start(model=model, folder=folder, mode="allow")
            await session.prompt("go")
            sessions.append(session)
        refused = (await sessions[1].revert()).refused
        forced = (await sessions[1].revert([path], force=True)).refused
    assert path in refused
    assert path in forced
    outside(folder, "cd x; git status; cd ..; git --git-dir x --work-tree . status")
    assert not canary.exists()


def test_what_a_crash_left_half_made_makes_no_settings(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "x")], check=True)
    old, new = SETTINGS.encode(), (tmp_path / "x/config").read_bytes()
    kept = {sha256(each).hexdigest(): each for each in (old, new)}
    before, after = kept
    (tmp_path / "plain").write_bytes(new)
    with Root(tmp_path) as root:
        writes = [FileChange("x/config", before, after), FileChange("plain", before, after)]
        settled = settle(
            root,
            writes,
            kept.__getitem__,
            Fence(tmp_path),
            lambda path: refuse_plant(root, path),
        )
    assert settled.undone == ("plain",)
    assert (tmp_path / "x/config").read_bytes() == new
