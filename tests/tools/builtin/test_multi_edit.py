from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.approvals.touch import Touch
from bottega.tools.builtin.files.multi_edit import MULTI_EDIT
from bottega.workspaces.edit import Edit
from tests.tools.contexts import Workbench, change_of, refusal_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text("one\n")
    made = Workbench(tmp_path)
    yield made
    made.root.close()


def edits(*made: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "edits": [
            {"file_path": path, "patches": [{"old_text": old, "new_text": new}]}
            for path, old, new in made
        ]
    }


@pytest.mark.requirement("T31")
async def test_several_files_are_edited_at_once(bench: Workbench) -> None:
    given = edits(("a", "one", "1"), ("b", "one", "I"), ("new/c", "", "text"))
    change = await change_of(MULTI_EDIT, given, bench)
    assert change.edits == (
        Edit("a", b"one\ntwo\n", b"1\ntwo\n"),
        Edit("b", b"one\n", b"I\n"),
        Edit("new/c", None, b"text"),
    )
    assert change.result["files_modified"] == 3
    assert [each["path"] for each in change.result["files"]] == ["a", "b", "new/c"]
    assert change.result["files"][2]["created"]
    assert "created" not in change.result["files"][0]


@pytest.mark.requirement("T31")
async def test_edits_of_one_file_are_merged_in_order_whatever_it_is_called(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("a")
    given = edits(("a", "one", "1"), ("b", "one", "x"), ("./link", "1\ntwo", "2"))
    change = await change_of(MULTI_EDIT, given, bench)
    assert [(edit.path, edit.after) for edit in change.edits] == [("a", b"2\n"), ("b", b"x\n")]
    assert len(change.result["files"][0]["changes"]) == 2


@pytest.mark.requirement("T31")
async def test_whatever_does_not_fit_stops_all_and_is_told_at_once(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "binary").write_bytes(b"\0\1")
    given = edits(
        ("a", "one", "1"),
        ("b", "three", "3"),
        ("../out", "x", "y"),
        ("binary", "x", "y"),
        ("nowhere", "x", "y"),
    )
    code, words = await refusal_of(MULTI_EDIT, given, bench)
    assert code == "path_outside_workspace"
    assert words.startswith("None of the 5 files was changed.")
    for told in (
        "'../out' is outside",
        "'b' does not fit",
        "'binary' is binary",
        "no file 'nowhere'",
    ):
        assert told in words


async def test_what_is_touched_is_every_file_once(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    given = edits(("a", "x", "y"), ("link", "x", "y"), ("b", "x", "y"))
    assert MULTI_EDIT.touched(given, bench.root) == Touch(("a", "b"), ("a", "b"))
