"""The state of real repositories, as git itself made them; hostile ones among them."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.tools.project import git
from bottega.tools.project.git_config import parsed
from bottega.workspaces.confine import Root

Git = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Git:
    """Runs git as a person would, with no settings but these."""

    def call(*words: str, at: str = "ws") -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=tmp_path / at,
            capture_output=True,
            text=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_NAME": "a",
                "GIT_AUTHOR_EMAIL": "a@b",
                "GIT_COMMITTER_NAME": "a",
                "GIT_COMMITTER_EMAIL": "a@b",
            },
        )
        return done.stdout

    return call


@pytest.fixture
def ws(tmp_path: Path, run: Git) -> Path:
    made = tmp_path / "ws"
    made.mkdir()
    run("init", "-q", "-b", "main")
    (made / "a").write_text("one\n")
    run("add", "a")
    run("commit", "-qm", "first")
    return made


async def state(folder: Path) -> dict[str, Any]:
    with Root(folder) as root:
        found = await git.state(root)
    assert found is not None
    return found


async def test_a_folder_without_git_has_no_state(tmp_path: Path) -> None:
    with Root(tmp_path) as root:
        assert await git.state(root) is None


async def test_branch_commit_and_changes_are_told(ws: Path, run: Git) -> None:
    assert await state(ws) == {
        "branch": "main",
        "commit": run("rev-parse", "HEAD")[:12],
        "changes": {},
    }
    (ws / "a").write_text("two\n")
    (ws / "b c").write_text("new\n")
    (ws / "d").write_text("staged\n")
    (ws / "ignored").write_text("x")
    (ws / ".gitignore").write_text("ignored\n")
    run("add", "d", ".gitignore")
    found = await state(ws)
    assert found["changes"] == {"staged": 2, "modified": 1, "untracked": 1}
    assert sorted(found["files"]) == [".M a", "?? b c", "A. .gitignore", "A. d"]
    run("checkout", "-q", "--detach")
    assert (await state(ws))["branch"] is None


async def test_ahead_and_behind_are_counted(ws: Path, run: Git, tmp_path: Path) -> None:
    run("clone", "-q", "ws", "copy", at=".")
    (tmp_path / "copy" / "b").touch()
    run("add", "b", at="copy")
    run("commit", "-qm", "mine", at="copy")
    for n in range(2):
        run("commit", "-qm", f"theirs {n}", "--allow-empty")
    run("fetch", "-q", at="copy")
    run("gc", "-q", at="copy")
    found = await state(tmp_path / "copy")
    assert found["upstream"] == "origin/main"
    assert (found["ahead"], found["behind"]) == (1, 2)
    assert found["remotes"] == {"origin": str(ws)}
    run("clone", "-q", "--depth=1", f"file://{ws}", "shallow", at=".")
    found = await state(tmp_path / "shallow")
    assert (found["ahead"], found["behind"], found["changes"]) == (0, 0, {})


async def test_an_empty_repository_and_one_with_other_hashes_are_understood(
    run: Git, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    run("init", "-q", "-b", "trunk", at="empty")
    assert await state(tmp_path / "empty") == {"branch": "trunk", "commit": None, "changes": {}}
    (tmp_path / "other").mkdir()
    run("init", "-q", "-b", "main", "--object-format=sha256", at="other")
    run("commit", "-qm", "x", "--allow-empty", at="other")
    found = await state(tmp_path / "other")
    assert found["commit"] == run("rev-parse", "HEAD", at="other")[:12]
    assert found["changes"] == {}


async def test_a_merge_under_way_and_its_conflicts_are_told(ws: Path, run: Git) -> None:
    run("checkout", "-qb", "other")
    (ws / "a").write_text("theirs\n")
    run("commit", "-qam", "theirs")
    run("checkout", "-q", "main")
    (ws / "a").write_text("ours\n")
    run("commit", "-qam", "ours")
    run("merge", "other")
    found = await state(ws)
    assert found["under_way"] == "merge"
    assert found["changes"] == {"conflicted": 1}
    assert found["files"] == ["UU a"]


async def test_a_repository_elsewhere_is_not_looked_into(
    ws: Path, run: Git, tmp_path: Path
) -> None:
    run("worktree", "add", "-q", "../tree")
    for folder in ("tree", "linked"):
        (tmp_path / folder).mkdir(exist_ok=True)
        if folder == "linked":
            (tmp_path / folder / ".git").symlink_to(ws / ".git")
        assert "outside this folder" in (await state(tmp_path / folder))["note"]


EVIL = """
[core]
	fsmonitor = "touch {canary}; false"
	hooksPath = {hooks}
	sshCommand = touch {canary}
	pager = touch {canary}
[filter "evil"]
	clean = touch {canary}; cat
	smudge = touch {canary}; cat
	process = touch {canary}
[diff "evil"]
	command = touch {canary}
[include]
	path = {hooks}/more
[alias]
	status = "!touch {canary}"
"""


async def test_nothing_that_a_repository_says_is_run(ws: Path, run: Git, tmp_path: Path) -> None:
    canary, hooks = tmp_path / "canary", tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (hooks / name).chmod(0o755)
    (hooks / "more").write_text(f'[filter "evil"]\n\tclean = touch {canary}; cat\n')
    (ws / ".gitattributes").write_text("* filter=evil diff=evil\n")
    config = (ws / ".git" / "config").read_text()
    (ws / ".git" / "config").write_text(config + EVIL.format(canary=canary, hooks=hooks))
    (ws / "a").write_text("two\n")
    os.utime(ws / "a", (1, 1))
    found = await state(ws)
    assert found["changes"]["modified"] == 1
    assert not canary.exists()
    run("status")
    assert canary.exists(), "git itself would have run it"


async def test_credentials_in_an_address_are_left_out(ws: Path, run: Git) -> None:
    run("remote", "add", "origin", "https://user:token@example.org/x.git")
    found = await state(ws)
    assert found["remotes"] == {"origin": "https://example.org/x.git"}
    assert "token" not in str(found)


async def test_a_broken_repository_is_said_so(ws: Path, tmp_path: Path) -> None:
    (ws / ".git" / "index").write_bytes(b"DIRC garbage")
    found = await state(ws)
    assert found["branch"] == "main"
    assert "not known" in found["note"]
    (ws / ".git" / "HEAD").write_text("ref: refs/heads/../../../../etc/passwd\n")
    assert (await state(ws))["branch"] is None


async def test_without_git_its_files_still_say_something(
    ws: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "_PROGRAMS", "/nowhere")
    found = await state(ws)
    assert found["branch"] == "main"
    assert "not installed" in found["note"]


def test_what_is_written_for_git_is_plain() -> None:
    config = parsed(
        '[core]\n\tautocrlf = true\n\tfsmonitor = evil\n; note\n[branch "a b"]\n\tremote = x\n'
        '[branch "main"]\n\tremote = "or$(x)igin"\n\tmerge = refs/heads/main\n'
    )
    written = config.safe("main")
    assert "autocrlf = true" in written
    assert "evil" not in written
    assert "$" not in written
    assert config.upstream("a b") == ("x", "")
