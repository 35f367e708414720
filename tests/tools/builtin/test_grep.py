import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import BadUsage, Misconfigured, NotFound
from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.files.grep import GREP
from bottega.tools.searching.ripgrep import SearchFailed
from bottega.workspaces import programs
from bottega.workspaces.confine import NotAFile, PathOutsideWorkspace
from tests.processes import children
from tests.tools.contexts import Workbench, outcome_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    inside = tmp_path / "ws"
    (inside / "src").mkdir(parents=True)
    (inside / "a.py").write_text("one\ntwo\nthree\nfour\nTwo\n")
    (inside / "src" / "b.py").write_text("# two\r\n-x two\r\n")
    (inside / "src" / "c.md").write_text("two\n")
    (inside / "debug.log").write_text("two\n")
    (inside / ".env").write_text("two\n")
    (inside / ".gitignore").write_text("*.log\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "canary").write_text("two canary\n")
    (inside / "link").symlink_to(tmp_path / "out")
    (inside / "file-link").symlink_to(tmp_path / "out" / "canary")
    made = Workbench(inside)
    yield made
    made.root.close()


async def found(bench: Workbench, pattern: str, **more: Any) -> Any:
    return (await outcome_of(GREP, {"pattern": pattern, **more}, bench)).result


async def test_matching_lines_are_shown_by_file_with_their_numbers(bench: Workbench) -> None:
    assert await found(bench, "two") == {
        "matches": 4,
        "files": [
            {"path": "a.py", "lines": ["2: two"]},
            {"path": "src/b.py", "lines": ["1: # two", "2: -x two"]},
            {"path": "src/c.md", "lines": ["1: two"]},
        ],
    }


async def test_files_and_counts_can_be_asked_for(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "ws" / "line\nbreak").write_text("two\n")
    files = await found(bench, "two", output_mode="files")
    assert files == {"files": ["a.py", "line\nbreak", "src/b.py", "src/c.md"]}
    counts = await found(bench, "two", output_mode="count", ignore_case=True)
    assert counts["counts"] == {"a.py": 2, "line\nbreak": 1, "src/b.py": 2, "src/c.md": 1}
    assert counts["matches"] == 6


async def test_lines_beside_a_match_are_told_from_it(bench: Workbench) -> None:
    result = await found(bench, "three", context=1)
    assert result["files"] == [{"path": "a.py", "lines": ["2- two", "3: three", "4- four"]}]
    result = await found(bench, "three", before=2)
    assert result["files"][0]["lines"] == ["1- one", "2- two", "3: three"]
    result = await found(bench, "^(one|Two)$", after=1)
    assert result["files"][0]["lines"] == ["1: one", "2- two", "5: Two"]


@pytest.mark.parametrize(
    ("more", "files"),
    [
        ({"glob": "*.py"}, ["a.py", "src/b.py"]),
        ({"glob": "src/*"}, ["src/b.py", "src/c.md"]),
        ({"glob": "*.{md,txt}"}, ["src/c.md"]),
        ({"glob": "*.log"}, []),
        ({"glob": ".env"}, [".env"]),
        ({"path": "src"}, ["src/b.py", "src/c.md"]),
        ({"path": "src", "glob": "*.py"}, ["src/b.py"]),
        ({"path": "src/b.py"}, ["src/b.py"]),
        ({"path": "debug.log"}, ["debug.log"]),
        ({"hidden": True}, [".env", "a.py", "src/b.py", "src/c.md"]),
        ({"ignored": True}, ["a.py", "debug.log", "src/b.py", "src/c.md"]),
    ],
)
async def test_where_to_search_can_be_said(
    bench: Workbench, more: dict[str, Any], files: list[str]
) -> None:
    assert (await found(bench, "two", output_mode="files", **more))["files"] == files


async def test_a_pattern_is_never_taken_for_an_option(bench: Workbench) -> None:
    assert (await found(bench, "-x"))["files"] == [{"path": "src/b.py", "lines": ["2: -x two"]}]
    assert (await found(bench, "--pre=/bin/sh"))["files"] == []
    assert (await found(bench, "tw.", literal=True))["files"] == []


async def test_a_pattern_that_is_none_is_explained(bench: Workbench) -> None:
    with pytest.raises(SearchFailed, match="unclosed group"):
        await found(bench, "two(")
    with pytest.raises(BadUsage, match="NUL"):
        await found(bench, "a" + chr(0) + "b")
    with pytest.raises(BadUsage):
        await found(bench, chr(0xD800))


async def test_places_that_are_not_there_are_said_so(bench: Workbench) -> None:
    with pytest.raises(NotFound, match=r"Did you mean 'src'\?"):
        await found(bench, "two", path="scr")
    for path in ("link", "link/canary", "file-link", "..", "/etc"):
        with pytest.raises(PathOutsideWorkspace):
            await found(bench, "two", path=path)


async def test_no_link_is_followed(bench: Workbench) -> None:
    assert "canary" not in str(await found(bench, "two", hidden=True, ignored=True))


async def test_long_lines_and_many_matches_are_cut(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "ws" / "long").write_text("needle" + "x" * 3_000_000 + "\nneedle\n")
    result = await found(bench, "needle")
    (lines,) = [file["lines"] for file in result["files"]]
    assert len(lines[0]) < 500
    assert lines[1] == "2: needle"
    (tmp_path / "ws" / "many").write_text("needle in a stack of hay\n" * 200_000)
    result = await found(bench, "needle", path="many")
    assert result["matches"] == 100
    assert "narrow" in result["note"]
    result = await found(bench, "needle", path="many", limit=1000, context=3)
    assert weight(result) <= LIMIT


async def test_binary_files_are_skipped(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "ws" / "early.bin").write_bytes(b"two" + bytes(1) + b"\n")
    (tmp_path / "ws" / "late.bin").write_bytes(b"two\n" + b"line\n" * 200_000 + bytes(1))
    paths = {file["path"] for file in (await found(bench, "two"))["files"]}
    assert paths == {"a.py", "late.bin", "src/b.py", "src/c.md"}, "what came before the NUL is text"
    assert (await found(bench, "two", path="early.bin"))["files"] == []


async def test_nothing_of_the_environment_changes_a_search(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rgrc").write_text("--replace=gotcha\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rgrc"))
    (tmp_path / "ws" / ".ripgreprc").write_text("--replace=gotcha\n")
    assert "gotcha" not in str(await found(bench, "two"))


async def test_a_missing_search_program_is_said_so(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "INTERPRETER", str(tmp_path / "python"))
    with pytest.raises(Misconfigured, match="search program is not installed"):
        await found(bench, "two")


async def test_rules_may_hide_paths(bench: Workbench) -> None:
    bench.settings = {"hide": ["/src/b.py", "*.md"]}
    assert [file["path"] for file in (await found(bench, "two"))["files"]] == ["a.py"]


async def test_a_cancel_ends_the_search_program(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "ws" / "large").write_text(("ab" * 500 + "\n") * 40_000)
    for n in range(500):  # 20 GB to search: it never ends by itself meanwhile
        os.link(tmp_path / "ws" / "large", tmp_path / "ws" / f"large-{n}")
    before = children()
    for _ in range(5):
        task = asyncio.create_task(found(bench, "(a|b|ab)*[^abx]{9}z"))
        while not children() - before:
            assert not task.done()
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert children() <= before


async def test_a_pipe_is_not_waited_for(bench: Workbench, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ws" / "pipe")
    assert (await found(bench, "two"))["matches"] == 4
    with pytest.raises(NotAFile):
        await found(bench, "two", path="pipe")
