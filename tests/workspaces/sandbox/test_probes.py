"""What gets out of a sandbox: nothing out of bubblewrap; out of Landlock only what its table of gaps names."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.walls import landlock
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.attack import PROBES
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock

Told = dict[str, dict[str, Any]]
FOUND = {
    *("written_worktree_config", "written_commondir", "written_module_commondir"),
    *(
        "written_new_module",
        "written_new_worktree",
        "written_project_file",
        "written_project_folder",
    ),
    *("written_head", "renamed_project_folder", "a_repository_is_made_of_the_workspace"),
}
"""They make what was not there, which no mount can keep them from: what does harm is undone afterwards."""


def _attack(kind: Any, owner: int | None) -> Told:
    with rooms.open_folder() as base:
        facts = rooms.scene(base)
        workspace = Path(facts["workspace"])
        with rooms.canaries(facts) as facts:
            rooms.given_to(base, owner)
            hidden = [Path(facts["home"])]

            async def attack() -> Told:
                sandboxes = Local(base / "home" / "state", hidden=hidden, best=kind)
                sandbox = await sandboxes.open(Root(workspace))
                try:
                    return await rooms.attacked(sandbox, facts, rooms.python_in(workspace))
                finally:
                    await sandbox.close()

            before = rooms.around(workspace)
            told = asyncio.run(attack())
            told["nothing_around_it_has_changed"] = {"through": rooms.around(workspace) != before}
            left = [path for path in PLANTED if "planted" in _text(workspace / path)]
            told["nothing_planted_is_left"] = {"through": bool(left), "left": left}
            return told


PLANTED = (
    *(".git/config", ".git/config.worktree", ".git/commondir", ".git/modules/lib/commondir"),
    *(".git/modules/lib/config", ".git/hooks/pre-commit", ".husky/_/pre-commit", ".bottega.toml"),
)


def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


@pytest.fixture(scope="module")
def plainly() -> Told:
    with rooms.open_folder() as base:
        facts = rooms.scene(base)
        with rooms.canaries(facts) as facts:
            return rooms.attacked_plainly(facts)


@pytest.fixture(scope="module")
def by_bubblewrap() -> Told:
    return _attack("bubblewrap", None)


@pytest.fixture(scope="module")
def by_bubblewrap_as_owner() -> Told:
    return _attack("bubblewrap", rooms.OWNER)


@pytest.fixture(scope="module")
def by_landlock() -> Told:
    return _attack("landlock", None)


@pytest.fixture(scope="module")
def by_landlock_as_owner() -> Told:
    return _attack("landlock", rooms.OWNER)


every = pytest.mark.parametrize("name", PROBES)


def _held(told: Told, name: str) -> bool:
    assert not told[name].get("broken"), told[name]
    return not told[name]["through"]


@pytest.mark.parametrize("name", [name for name, each in PROBES.items() if each.outside])
def test_the_probe_gets_through_where_there_is_no_sandbox(plainly: Told, name: str) -> None:
    assert plainly[name]["through"], plainly[name]


@needs_bubblewrap
def test_bubblewrap_leaves_everything_around_the_workspace_as_it_was(by_bubblewrap: Told) -> None:
    assert _held(by_bubblewrap, "nothing_around_it_has_changed")


@needs_bubblewrap
@every
def test_bubblewrap_holds(by_bubblewrap: Told, name: str) -> None:
    assert _held(by_bubblewrap, name) or name in FOUND, by_bubblewrap[name]


@needs_bubblewrap
@needs_landlock
def test_what_was_planted_for_git_is_gone_afterwards(
    by_bubblewrap: Told, by_landlock: Told
) -> None:
    for told in (by_bubblewrap, by_landlock):
        assert _held(told, "nothing_planted_is_left"), told["nothing_planted_is_left"]


@needs_landlock
@every
def test_landlock_holds_or_names_the_gap(by_landlock: Told, name: str) -> None:
    assert _held(by_landlock, name) or PROBES[name].gap in landlock.GAPS, by_landlock[name]


if rooms.ROOT:  # whoever is not root has tried it as the folder's owner above

    @needs_bubblewrap
    @every
    def test_bubblewrap_holds_as_the_folders_owner(by_bubblewrap_as_owner: Told, name: str) -> None:
        told = by_bubblewrap_as_owner
        assert _held(told, name) or name in FOUND, told[name]

    @needs_landlock
    @every
    def test_landlock_holds_as_the_folders_owner(by_landlock_as_owner: Told, name: str) -> None:
        told = by_landlock_as_owner
        assert _held(told, name) or PROBES[name].gap in landlock.GAPS, told[name]


@needs_landlock
@pytest.mark.parametrize("gap", sorted({each.gap for each in PROBES.values() if each.gap}))
def test_a_gap_of_landlock_is_a_real_one(by_landlock: Told, gap: str) -> None:
    through = [
        name for name, each in PROBES.items() if each.gap == gap and by_landlock[name]["through"]
    ]
    assert through


@needs_landlock
async def test_where_landlock_is_all_there_is_nothing_runs_unasked(tmp_path: Path) -> None:
    said = await Local(tmp_path, best="landlock").trusted()
    assert "Allow mode is off" in said
    assert "bubblewrap" in said


def test_there_are_at_least_a_hundred_probes() -> None:
    assert len(PROBES) >= 100
