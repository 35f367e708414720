"""Severity: high. A folder with very many names is read in part, whoever lists, finds or takes away what is in it."""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.projects.files.download import download
from bottega.tools.builtin.files.list_dir import LIST_DIR
from bottega.tools.reading import TooLarge
from bottega.workspaces.confine import Root
from bottega.workspaces.entries import MOST, in_order
from bottega.workspaces.git import files
from bottega.workspaces.watch.walk import walk
from tests.attacks.hostile import Person, Target, target
from tests.tools.contexts import succeeded

MANY = MOST + 10
WIDE = "wide"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("huge")) as started:
        fill(started.folder / WIDE)
        yield started
        shutil.rmtree(started.folder / WIDE)


def fill(folder: Path) -> None:
    """Names of one and the same file cost next to nothing to make."""
    folder.mkdir()
    opened = os.open(folder, os.O_RDONLY)
    os.close(os.open("0", os.O_CREAT | os.O_WRONLY, dir_fd=opened))
    source = "0"
    for n in range(1, MANY):
        if n % 60_000 == 0:  # a file has no more names
            source = str(n)
            os.close(os.open(source, os.O_CREAT | os.O_WRONLY, dir_fd=opened))
        else:
            os.link(source, str(n), src_dir_fd=opened, dst_dir_fd=opened)
    os.close(opened)


@pytest.fixture
def root(server: Target) -> Iterator[Root]:
    with Root(server.folder) as opened:
        yield opened


def test_its_list_says_that_there_is_more(server: Target) -> None:
    with Person(server) as host:
        project = host.call("GET", "/api/projects")[1]["projects"][0]["id"]
        path = f"/api/projects/{project}/files?path={WIDE}&limit=5"
        status, page = host.call("GET", path)
        assert status == 200, page
        assert (page["total"], page["whole"], page["next"]) == (MOST, False, 5)
        listed = [each["name"] for each in page["entries"]]
        assert listed == sorted(listed)
        last = host.call("GET", f"{path}&start={MOST - 5}")[1]
        assert (len(last["entries"]), last["next"]) == (5, None)
        top = host.call("GET", f"/api/projects/{project}/files")[1]
        assert (top["total"], top["whole"]) == (1, True)
    assert server.stalls(0.2) == []


def test_a_download_of_it_is_refused_before_it_is_read_whole(root: Root) -> None:
    with pytest.raises(TooLarge):
        download(root, WIDE)


def test_a_look_at_the_workspace_ends_with_it(root: Root) -> None:
    (Path(root.path) / "beside").mkdir(exist_ok=True)
    walked = walk(root, most=MANY)
    assert not walked.whole
    assert len(walked.files) == MOST


async def test_an_agent_is_told_that_there_is_more(server: Target) -> None:
    found = await succeeded(LIST_DIR, {"path": WIDE}, server.folder)
    assert "or more entries are not shown" in found["note"]


def test_a_guard_takes_no_part_of_the_names_for_all(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_NAMES", MOST)
    with pytest.raises(OSError, match="names"):
        files.names(root, WIDE)


def test_what_is_read_is_in_order() -> None:
    dice = random.Random(1)
    things = [str(dice.random()) for _ in range(5_000)]
    assert list(in_order(things, str)) == sorted(things)
    assert list(in_order([], str)) == []
