"""Severity: high (H1, its kind). A remote, a submodule or a branch of the agent's, whose name git takes for an option
or an address when the person fetches.
"""

import subprocess
from collections.abc import Iterator

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.git import config
from bottega.workspaces.git.guard import Guard
from tests.attacks.indexes import git
from tests.attacks.test_a_planted_repository_runs_nothing import Scene
from tests.workspaces.sandbox import rooms

NAME = "--upload-pack=touch {canary}/ran;git-upload-pack"
REFS = "+refs/heads/*:refs/remotes/o/*"


@pytest.fixture
def scene() -> Iterator[Scene]:
    with rooms.open_folder() as base:
        yield Scene(base)


@pytest.mark.parametrize("guarded", [True, False])
def test_a_fetch_of_all_remotes_runs_nothing(scene: Scene, guarded: bool) -> None:
    """Without a guard it runs."""
    name = NAME.format(canary=scene.canary)
    with Root(scene.folder) as root:
        guard = Guard(scene.base / "state", root)
        guard.open()
        git(scene.folder, "init", "-q", "n")
        settings = f'[remote "origin"]\n\turl = {scene.folder}\n\tfetch = {REFS}\n'
        with (scene.folder / "n/.git/config").open("a") as file:
            file.write(f'{settings}[remote "{name}"]\n\tfetch = {REFS}\n')
        if guarded:
            guard.close()
        command = ["git", "-c", "safe.directory=*", "fetch", "--all"]
        subprocess.run(command, cwd=scene.folder / "n", check=False, capture_output=True)
        guard.close()
    assert [each.name for each in scene.canary.iterdir()] == ([] if guarded else ["ran"])
    if guarded:
        assert "--upload-pack" in " ".join(guard.reports())
        assert git(scene.folder / "n", "remote") == "origin"


NAMES = (
    "--exec=x",
    "-x",
    "a;b",
    "ext::sh -c x",
    "../x",
    "a/../b",
    "a//b",
    "$(x)",
    "a b",
    "",
    "`x`",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "key", ["remote.{}.fetch", "remote.{}.url", "submodule.{}.url", "branch.{}.merge"]
)
def test_no_name_may_be_more_than_one(name: str, key: str) -> None:
    values = {"fetch": REFS, "url": "https://example.org/x", "merge": "refs/heads/main"}
    value = values[key.rpartition(".")[2]]
    if not (key.startswith("branch") and name == "a//b"):
        assert not config.is_safe((key.format(name), value))
    for fine in ("origin", "team/x.y", "v1+2", "a_b-c"):
        assert config.is_safe((key.format(fine), value))
    assert config.is_safe(("branch.fix#12-ü.merge", "refs/heads/main"))


def test_a_remote_without_an_address_goes() -> None:
    """Git would take its name for one."""
    lone = '[remote "o"]\n\tfetch = +refs/heads/*:refs/remotes/o/*\n'
    url = "\turl = https://example.org/x\n"
    assert config.cleaned(lone.encode()) == (b"", ("remote.o.fetch",))
    assert config.cleaned((lone + url).encode()) == (None, ())
    fresh, gone = config.cleaned((lone + "\turl = ext::sh\n").encode())
    assert (fresh, set(gone)) == (b"", {"remote.o.fetch", "remote.o.url"})
    mine = (("remote.o.url", "https://example.org/x"),)
    assert config.cleaned(lone.encode(), mine) == (None, ())
