import os
from pathlib import Path

import pytest

from bottega.errors import NotFound
from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.files.list_dir import LIST_DIR
from bottega.workspaces.confine import NotAFolder, PathOutsideWorkspace
from tests.tools.contexts import Workbench, succeeded


async def test_a_folder_is_listed_with_kinds_and_sizes_hidden_ones_too(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "deep.py").touch()
    (tmp_path / "b.txt").write_text("abc")
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "A.txt").write_text("x")
    (tmp_path / "link").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    assert await succeeded(LIST_DIR, {}, tmp_path) == {
        "path": ".",
        "entries": [
            {"path": ".hidden", "kind": "file", "size": 0},
            {"path": "A.txt", "kind": "file", "size": 1},
            {"path": "b.txt", "kind": "file", "size": 3},
            {"path": "link", "kind": "link", "target": "/etc"},
            {"path": "pipe", "kind": "pipe"},
            {"path": "src", "kind": "folder"},
        ],
    }


async def test_depth_enters_folders_but_neither_links_nor_git(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "x").touch()
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / "loop").symlink_to(".")
    result = await succeeded(LIST_DIR, {"depth": 3}, tmp_path)
    paths = [entry["path"] for entry in result["entries"]]
    assert paths == [".git", "a", "a/b", "a/b/c", "a/x", "loop"]
    result = await succeeded(LIST_DIR, {"depth": 2}, tmp_path)
    assert "a/b/c" not in [entry["path"] for entry in result["entries"]]
    result = await succeeded(LIST_DIR, {"path": ".git"}, tmp_path)
    assert [entry["path"] for entry in result["entries"]] == ["objects"]


async def test_a_crowded_folder_is_cut_with_a_word_and_stays_readable(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    for n in range(700):
        (tmp_path / f"a-rather-long-name-for-a-file-{n:04}").touch()
        (tmp_path / "zoo" / str(n)).touch()
    result = await succeeded(LIST_DIR, {"depth": 2}, tmp_path)
    shown = result["entries"]
    assert shown[-1] == {"path": "zoo", "kind": "folder"}, "each level before the next one"
    assert result["note"].startswith(f"{1_401 - len(shown):,} more entries")
    assert weight(result) <= LIMIT


async def test_a_folder_inside_that_may_not_be_read_is_said_so(tmp_path: Path) -> None:
    locked = tmp_path / "open" / "locked"
    locked.mkdir(parents=True)
    locked.chmod(0)
    bench = Workbench(tmp_path / "open")
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        outcome = await LIST_DIR.run({"depth": 2}, bench)
    finally:
        os.seteuid(user)
        bench.root.close()
        locked.chmod(0o700)
    (entry,) = outcome.result["entries"]
    assert entry["path"] == "locked"
    assert "no permission" in entry["error"]


async def test_a_folder_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "file").touch()
    bench = Workbench(tmp_path)
    with pytest.raises(NotFound, match=r"'sorce'.*Did you mean 'source'\?"):
        await LIST_DIR.run({"path": "sorce"}, bench)
    with pytest.raises(NotAFolder):
        await LIST_DIR.run({"path": "file"}, bench)
    with pytest.raises(PathOutsideWorkspace):
        await LIST_DIR.run({"path": ".."}, bench)
    bench.root.close()
