"""Control groups: both versions, made for a sandbox and taken away with it, or after its owner's death."""

import hashlib
import os
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.bounds import Bounds
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.walls import cgroup
from tests import processes
from tests.workspaces.sandbox.needs import counted, needs_bubblewrap

SMALL = Bounds(processes=40, memory=96 << 20, file=8 << 20)


def test_the_bounds_are_told_in_words() -> None:
    said = SMALL.described(together=True)
    assert said == "40 processes, 96 MiB of memory together, files up to 8 MiB"
    assert "by rlimits only" in SMALL.described(together=False)
    assert Bounds().memory <= 4 << 30


@counted
@needs_bubblewrap
async def test_groups_are_taken_away_with_their_sandbox(tmp_path: Path) -> None:
    mine = f"bottega-{os.getpid()}-"
    places = _groups(mine)
    sandbox = await Local(tmp_path / "state").open(Root(tmp_path))
    assert _groups(mine) > places
    await sandbox.close()
    assert _groups(mine) == places


ABANDONED = """
    from bottega.workspaces.sandbox.bounds import Bounds
    from bottega.workspaces.sandbox.walls import cgroup
    print(cgroup.make(Bounds()).folders[0].name)
"""


@counted
def test_groups_of_a_dead_owner_are_taken_away_by_the_next() -> None:
    name = processes.run(ABANDONED).stdout.strip()
    assert name in _groups()
    group = cgroup.make(Bounds())
    assert group is not None
    group.remove()
    assert name not in _groups()


def _groups(prefix: str = "bottega-") -> set[str]:
    return {
        name for _, names, _ in os.walk(cgroup.MOUNT) for name in names if name.startswith(prefix)
    }


def _tree_2(mount: Path, passed_on: str) -> None:
    """As a system with version 2 has it, in plain files."""
    place = mount / "studio"
    place.mkdir(parents=True)
    (mount / "cgroup.controllers").write_text("cpu memory pids")
    (place / "cgroup.subtree_control").write_text(passed_on)
    (mount / "own").write_text("0::/studio\n")


def test_one_tree_for_all_has_every_limit_in_one_folder(tmp_path: Path) -> None:
    _tree_2(tmp_path, "memory pids")
    group = cgroup.make(SMALL, tmp_path, tmp_path / "own")
    assert group is not None
    (folder,) = group.folders
    assert folder.parent == tmp_path / "studio"
    assert (folder / "memory.max").read_text() == str(SMALL.memory)
    assert (folder / "pids.max").read_text() == str(SMALL.processes)
    group.add(4242)
    assert (folder / "cgroup.procs").read_text() == "4242"


WITHIN = cgroup.Within("bottega-home-person-2", 200 << 20, 90)


def test_sandboxes_of_one_person_lie_in_a_group_with_limits_of_its_own(tmp_path: Path) -> None:
    _tree_2(tmp_path, "memory pids")
    person = tmp_path / "studio" / WITHIN.name
    person.mkdir()
    (person / "cgroup.subtree_control").write_text("memory pids")
    made = [cgroup.make(SMALL, tmp_path, tmp_path / "own", within=WITHIN) for _ in range(2)]
    folders = [group.folders[0] for group in made if group]
    assert [each.parent for each in folders] == [person, person]
    assert (person / "memory.max").read_text() == str(WITHIN.memory)
    assert (person / "pids.max").read_text() == str(WITHIN.processes)
    assert (folders[0] / "memory.max").read_text() == str(SMALL.memory)


def test_where_groups_cannot_be_nested_a_sandbox_has_its_own_all_the_same(tmp_path: Path) -> None:
    _tree_2(tmp_path, "memory pids")  # in plain files a new folder passes nothing on
    group = cgroup.make(SMALL, tmp_path, tmp_path / "own", within=WITHIN)
    assert group is not None
    assert group.folders[0].parent == tmp_path / "studio"


@counted
@needs_bubblewrap
async def test_a_persons_group_goes_with_the_last_sandbox(tmp_path: Path) -> None:
    local = Local(tmp_path / "state")
    first, second = [await local.open(Root(tmp_path), person=2) for _ in range(2)]
    (name,) = {each for each in _groups() if each.endswith("-person-2")} - _dead(tmp_path)
    await first.close()
    assert name in _groups()
    await second.close()
    assert name not in _groups()


def _dead(tmp_path: Path) -> set[str]:
    """Those of other homes."""
    home = hashlib.sha256(os.fsencode(tmp_path / "state")).hexdigest()[:8]
    return {each for each in _groups() if "-person-" in each and home not in each}


def test_what_a_group_does_not_pass_on_is_asked_for(tmp_path: Path) -> None:
    _tree_2(tmp_path, "")
    assert cgroup.make(SMALL, tmp_path, tmp_path / "own") is None
    assert (tmp_path / "studio" / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize("own", ["0::/elsewhere\n", ""])
def test_where_no_group_can_be_made_there_is_none(tmp_path: Path, own: str) -> None:
    assert cgroup.make(SMALL, tmp_path, tmp_path / "missing") is None
    (tmp_path / "cgroup.controllers").write_text("cpu")
    (tmp_path / "own").write_text(own)
    assert cgroup.make(SMALL, tmp_path, tmp_path / "own") is None
