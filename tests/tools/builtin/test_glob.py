import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.approvals.touch import Touch
from bottega.errors import BadUsage, NotFound
from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.files.glob import GLOB
from bottega.workspaces.confine import NotAFolder, PathOutsideWorkspace
from tests.tools.contexts import Workbench, outcome_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    inside = tmp_path / "ws"
    for path in (
        "app.py",
        "src/main.py",
        "src/deep/er/main.test.py",
        "src/page.tsx",
        "src/a [b].ts",
        "build/out.py",
        "notes.log",
        "src/trace.log",
        ".env",
        ".github/workflows/ci.yml",
        "src/.hidden.py",
    ):
        (inside / path).parent.mkdir(parents=True, exist_ok=True)
        (inside / path).write_text(path)
    (inside / ".gitignore").write_text("*.log\n/build\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "canary.py").write_text("canary")
    (inside / "link").symlink_to(tmp_path / "outside")
    made = Workbench(inside)
    yield made
    made.root.close()


async def found(bench: Workbench, pattern: str, **more: Any) -> list[str]:
    given = {"pattern": pattern, "sort": "path", **more}
    return (await outcome_of(GLOB, given, bench)).result["files"]


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*.py", ["app.py", "src/deep/er/main.test.py", "src/main.py"]),
        ("/*.py", ["app.py"]),
        ("src/*.py", ["src/main.py"]),
        ("**/*.py", ["app.py", "src/deep/er/main.test.py", "src/main.py"]),
        ("src/**/main*", ["src/deep/er/main.test.py", "src/main.py"]),
        ("src/**", ["src/a [b].ts", "src/deep/er/main.test.py", "src/main.py", "src/page.tsx"]),
        ("src/deep/", ["src/deep/er/main.test.py"]),
        ("*.{ts,tsx}", ["src/a [b].ts", "src/page.tsx"]),
        ("{app,src/main}.py", ["app.py", "src/main.py"]),
        ("[a-b]pp.py", ["app.py"]),
        ("a ?b].ts", ["src/a [b].ts"]),
        (".env", [".env"]),
        (".github/**", [".github/workflows/ci.yml"]),
        ("../**", []),
        ("-x*", []),
    ],
)
async def test_a_pattern_means_paths(bench: Workbench, pattern: str, files: list[str]) -> None:
    assert await found(bench, pattern) == files


async def test_what_is_ignored_or_hidden_shows_when_it_is_asked_for(bench: Workbench) -> None:
    assert await found(bench, "*.log") == []
    assert await found(bench, "*.log", ignored=True) == ["notes.log", "src/trace.log"]
    assert "src/.hidden.py" not in await found(bench, "*.py")
    assert "src/.hidden.py" in await found(bench, "*.py", hidden=True)
    assert "build/out.py" not in await found(bench, "*.py", hidden=True)


async def test_ignore_files_above_the_folder_count_and_nothing_above_the_workspace(
    bench: Workbench, tmp_path: Path
) -> None:
    inside = tmp_path / "ws"
    (tmp_path / ".gitignore").write_text("*.py\n")
    (inside / "src" / ".gitignore").write_text("deep/*.py\n!trace.log\n")
    (inside / "src" / "deep" / "x.py").touch()
    (inside / "src" / "deep" / "x.log").touch()
    expected = ["src/deep/er/main.test.py", "src/main.py"]
    assert await found(bench, "src/**/*.py") == expected
    assert await found(bench, "*.py", path="src") == expected
    assert await found(bench, "*.log", path="src") == ["src/trace.log"]
    assert await found(bench, "*", path="src/deep") == ["src/deep/er/main.test.py"]
    assert await found(bench, "*", path="build") == ["build/out.py"], "asked for by name"


async def test_the_last_changed_come_first(bench: Workbench, tmp_path: Path) -> None:
    for age, path in enumerate(("src/main.py", "app.py", "src/deep/er/main.test.py")):
        os.utime(tmp_path / "ws" / path, (1_700_000_000 - age, 1_700_000_000 - age))
    outcome = await outcome_of(GLOB, {"pattern": "*.py"}, bench)
    assert outcome.result["files"] == ["src/main.py", "app.py", "src/deep/er/main.test.py"]


async def test_many_files_are_counted_and_some_shown(bench: Workbench, tmp_path: Path) -> None:
    for n in range(700):
        (tmp_path / "ws" / "src" / f"a-rather-long-name-{n:04}.md").touch()
    outcome = await outcome_of(GLOB, {"pattern": "*.md"}, bench)
    assert outcome.result["total"] == 700
    assert len(outcome.result["files"]) == 200
    assert "500 more are not shown" in outcome.result["note"]
    outcome = await outcome_of(GLOB, {"pattern": "*.md", "limit": 1000}, bench)
    assert 200 < len(outcome.result["files"]) < 400
    assert weight(outcome.result) <= LIMIT


async def test_a_link_out_of_the_workspace_is_not_followed(bench: Workbench) -> None:
    assert await found(bench, "**/canary*", hidden=True, ignored=True) == []
    with pytest.raises(PathOutsideWorkspace):
        await found(bench, "*", path="link")
    with pytest.raises(PathOutsideWorkspace):
        await found(bench, "*", path="..")


async def test_what_makes_no_sense_is_said_so(bench: Workbench) -> None:
    with pytest.raises(NotFound, match=r"Did you mean 'src'\?"):
        await found(bench, "*", path="scr")
    with pytest.raises(NotAFolder):
        await found(bench, "*", path="app.py")
    with pytest.raises(BadUsage, match="more than 64 ways"):
        await found(bench, "{a,b}" * 7)
    with pytest.raises(BadUsage, match="NUL"):
        await found(bench, "a" + chr(0))


async def test_rules_may_hide_paths(bench: Workbench) -> None:
    bench.settings = {"hide": ["/src"]}
    assert await found(bench, "*.py") == ["app.py"]


async def test_what_is_touched_is_the_folder(bench: Workbench) -> None:
    assert GLOB.touched({"pattern": "*"}, bench.root) == Touch(reads=(".",))
    given = {"pattern": "*", "path": "src/../src"}
    assert GLOB.touched(given, bench.root) == Touch(reads=("src",))


async def test_names_that_are_no_text_and_names_with_line_breaks_are_found(
    bench: Workbench, tmp_path: Path
) -> None:
    folder = os.fsencode(tmp_path / "ws")
    (tmp_path / "ws" / "line\nbreak.txt").touch()
    os.close(os.open(folder + b"/latin-\xe9.txt", os.O_CREAT))
    outcome = await outcome_of(GLOB, {"pattern": "*.txt", "sort": "path"}, bench)
    assert outcome.result["files"] == ["latin-\udce9.txt", "line\nbreak.txt"]
    assert "latin" in outcome.to_text()
