"""Severity: high (H1, its kind). A plant whose mode lets git use it, and keeps whoever looks for plants from listing,
reading, copying or replacing it; and one that by no means can be undone.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Refused, StorageFailed
from bottega.workspaces.confine import Root
from bottega.workspaces.git import files, scan
from bottega.workspaces.git.guard import Guard
from bottega.workspaces.git.recovery import recover_all, recover_left
from bottega.workspaces.sandbox.local import Local
from tests.attacks import indexes
from tests.attacks.indexes import git
from tests.attacks.ordinary_user import as_ordinary_user
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap
from tests.workspaces.sandbox.rooms import OWNER, ROOT, bash

EVIL = "[core]\n\tfsmonitor = evil\n"


@pytest.fixture
def base() -> Iterator[Path]:
    with rooms.open_folder(OWNER if ROOT else None) as base:
        yield base


def _plant(folder: Path) -> None:
    for name in "abcdef":
        git(folder, "init", "-q", name)
    hook = folder / "a/.git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy("/bin/true", hook)
    hook.chmod(0o111)
    (folder / "b/.git/config").write_text(EVIL)
    (folder / "b/.git").chmod(0o555)
    indexes.split(folder / "c/.git", bytes(20))
    (folder / "c/.git").chmod(0o311)
    (folder / "d/.git/remotes").mkdir()
    (folder / "d/.git/remotes/evil").write_text("URL: ext::evil\n")
    (folder / "d/.git/remotes").chmod(0o311)
    (folder / "e/.git/config").write_text(EVIL)
    (folder / "e/.git/config").chmod(0)
    (folder / "e/.git").chmod(0o555)
    (folder / "f/deep").mkdir()
    git(folder, "init", "-q", "f/deep")
    (folder / "f/deep/.git/config").write_text(EVIL)
    for name in ("f/deep/.git", "f/deep"):
        (folder / name).chmod(0o111)


def _looked(base: Path) -> tuple[str, str, dict[str, int]]:
    folder = base / "project"
    folder.mkdir()
    with Root(folder) as root:
        guard = Guard(base / "state", root)
        guard.open()
        _plant(folder)
        guard.close()
        modes = {name: _mode(folder / name) for name in MODES}
        return " ".join(guard.reports()), guard.unfinished, modes


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


MODES = {
    "b/.git": 0o555,
    "c/.git": 0o311,
    "d/.git/remotes": 0o311,
    "e/.git": 0o555,
    "f/deep": 0o111,
    "f/deep/.git": 0o111,
}


def test_what_may_not_be_listed_read_or_replaced_is_undone_all_the_same(base: Path) -> None:
    told, unfinished, modes = as_ordinary_user(_looked, base)
    folder = base / "project"
    for path in MODES:
        (folder / path).chmod(0o700)
    assert modes == MODES, "as they were"
    assert not (folder / "a/.git/hooks/post-checkout").exists()
    assert not (folder / "c/.git/index").exists()
    assert [each for each in os.listdir(folder / "c/.git") if each.startswith("shared")] == []
    assert os.listdir(folder / "d/.git/remotes") == []
    for name in ("b", "e", "f/deep"):
        assert "fsmonitor" not in (folder / name / ".git/config").read_text(), name
    for path in ("a/.git/hooks", "b/.git/config", "c/.git/index", "d/.git/remotes", "f/deep/.git"):
        assert path in told, path
    assert "could not" not in told
    assert not unfinished
    (kept,) = (base / "state" / "quarantine").iterdir()
    (copy,) = kept.glob("*post-checkout")
    assert copy.read_bytes() == Path("/bin/true").read_bytes()


TAKEN = ("home", "home/sandbox", "home/sandbox/git", "home/sandbox/git/*", "home/sandbox/git/*/*")


def _hidden(base: Path, pattern: str) -> tuple[str, str, bool, set[int]]:
    folder = base / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    hook = folder / ".git/hooks/pre-commit"
    with Root(folder) as root:
        (base / "home").mkdir(mode=0o700)
        (base / "home/bottega.db").write_text("")
        guard = Guard(base / "home" / "sandbox", root)
        guard.open()
        hook.parent.mkdir(exist_ok=True)
        shutil.copy("/bin/true", hook)
        taken = [*base.glob(pattern), base / "home/bottega.db"]
        before = {path: _mode(path) for path in taken}
        for path in reversed(taken):
            path.chmod(0)
        guard.check()
        there = hook.exists()
        guard.close()
        rights = {before[path] ^ _mode(path) for path in taken if path.exists()}
        return " ".join(guard.reports()), guard.unfinished, there, rights


@pytest.mark.parametrize("pattern", TAKEN)
def test_whoever_takes_away_the_rights_of_the_home_hides_no_plant(base: Path, pattern: str) -> None:
    """A command that only Landlock holds may change the mode of any file of its user."""
    told, unfinished, there, rights = as_ordinary_user(_hidden, base, pattern)
    assert not there
    assert "pre-commit" in told
    assert not unfinished
    assert {each & 0o700 for each in rights} <= {0}, "the owner has all rights again"


def _crashed(base: Path, pattern: str) -> tuple[str, str, bool]:
    folder = base / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    hook = folder / ".git/hooks/pre-commit"
    (base / "home").mkdir(mode=0o700)
    if (pid := os.fork()) == 0:
        guard = Guard(base / "home/sandbox", Root(folder))
        guard.open()
        hook.parent.mkdir(exist_ok=True)
        shutil.copy("/bin/true", hook)
        for path in reversed([*base.glob(pattern)]):
            path.chmod(0)
        os._exit(9)
    os.waitpid(pid, 0)
    left = " ".join(recover_left(base / "home/sandbox", str(folder)))
    there = hook.exists()
    shutil.copy("/bin/true", hook)
    for path in reversed([*base.glob(pattern)]):
        path.chmod(0)
    found = recover_all(base / "home/sandbox", last=True)
    return left, f"{found} {hook.exists()}", there


@pytest.mark.parametrize("pattern", TAKEN)
def test_who_comes_after_a_crash_finds_what_was_there_before(base: Path, pattern: str) -> None:
    left, then, there = as_ordinary_user(_crashed, base, pattern)
    assert not there
    assert "pre-commit" in left
    assert then == "1 False"


def _unreadable(base: Path) -> str:
    folder = base / "project"
    folder.mkdir()
    with Root(folder) as root:
        guard = Guard(base / "state", root)
        guard.open()
        (known,) = base.glob("state/git/*/baseline")
        known.unlink()
        known.mkdir()
        try:
            guard.check()
        except StorageFailed as problem:
            return str(problem)
    return ""


def test_what_was_there_before_and_cannot_be_read_is_not_taken_for_nothing(base: Path) -> None:
    assert "could not be read" in as_ordinary_user(_unreadable, base)


def test_no_copy_is_no_reason_to_leave_it(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = base / "project"
    folder.mkdir()
    with Root(folder) as root:
        guard = Guard(base / "state", root)
        guard.open()
        git(folder, "init", "-q", "a")
        (folder / "a/.git/config").write_text(EVIL)
        (base / "state" / "quarantine").write_text("in its place")
        guard.close()
    assert "fsmonitor" not in (folder / "a/.git/config").read_text()
    assert "No copy could be kept" in " ".join(guard.reports())


@needs_bubblewrap
async def test_what_cannot_be_undone_is_never_what_was_there_before(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = base / "project"
    folder.mkdir()
    (folder / "x").mkdir()
    rooms.given_to(base, OWNER if ROOT else None)
    config = folder / "n/.git/config"

    def refused(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    local = Local(base / "state")
    with Root(folder) as root:
        sandbox = await local.open(root)
        with monkeypatch.context() as patched:
            patched.setattr(files, "write", refused)
            await bash(sandbox, "git init -q n; git config -f n/.git/config core.fsmonitor evil")
            assert "could not be undone" in " ".join(await sandbox.undone())
            with pytest.raises(Refused, match=r"n/\.git/config.*could not be undone"):
                await bash(sandbox, "true")
            await sandbox.close()
            with pytest.raises(Refused, match=r"n/\.git/config.*could not be undone"):
                await local.open(root)
        assert "fsmonitor" in config.read_text()
        await (await local.open(root)).close()
    assert "fsmonitor" not in config.read_text()


def test_what_cannot_be_put_right_is_told_once(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = base / "project"
    folder.mkdir()

    def refused(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    with Root(folder) as root:
        guard = Guard(base / "state", root)
        guard.open()
        git(folder, "init", "-q", "a")
        (folder / "a/.git/config").write_text(EVIL)
        with monkeypatch.context() as patched:
            patched.setattr(files, "write", refused)
            patched.setattr(scan, "_FOLDERS", 4)
            for _ in range(3):
                guard.check()
                assert guard.unfinished
        said = guard.reports()
        guard.close()
    assert len(said) == len(set(said)) == 2, said
