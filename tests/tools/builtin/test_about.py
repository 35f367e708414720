import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.project.about import GET_PROJECT_INFO
from bottega.tools.project import tree
from tests.tools.contexts import Workbench, outcome_of


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    (made / "src").mkdir(parents=True)
    return made


@pytest.fixture
def bench(ws: Path) -> Iterator[Workbench]:
    made = Workbench(ws)
    yield made
    made.root.close()


@pytest.mark.requirement("T36")
async def test_a_project_is_told_at_one_look(bench: Workbench, ws: Path) -> None:
    (ws / "src" / "a.py").write_text("print()\n")
    (ws / "src" / "b.py").write_text("x = 1\n")
    (ws / "main.ts").write_text("x")
    (ws / "secret.log").write_text("y" * 100)
    (ws / ".gitignore").write_text("*.log\n")
    (ws / "AGENTS.md").write_text("Be kind.\n")
    (ws / "CLAUDE.md").symlink_to("AGENTS.md")
    (ws / "README.md").write_text("# It\n" + "word " * 5_000)
    (ws / "package.json").write_text(json.dumps({"scripts": {"dev": "vite", "odd": 7}}))
    (ws / "pyproject.toml").write_text('[project.scripts]\nrun = "a:b"\n')
    (ws / "Makefile").write_text("VAR := x\n.PHONY: all\nall test: dep\n\techo\nlint:\n")
    (ws / "justfile").write_text("set shell := ['sh']\nbuild target='x':\n  echo\n@quiet:\n")
    result = (await outcome_of(GET_PROJECT_INFO, {}, bench)).result
    assert result["path"] == str(ws)
    assert "src/" in result["entries"]
    assert result["manifests"] == ["package.json", "pyproject.toml", "Makefile", "justfile"]
    assert result["git"] is None
    assert result["languages"]["Python"] == {"files": 2, "bytes": 14}
    assert result["languages"]["TypeScript"] == {"files": 1, "bytes": 1}
    assert result["size"]["files"] == 9, "what is ignored or hidden, and links, do not count"
    assert result["scripts"] == {
        "package.json": {"dev": "vite"},
        "pyproject.toml": {"run": "a:b"},
        "Makefile": ["all", "lint"],
        "justfile": ["build", "quiet"],
    }
    assert list(result["instructions"]) == ["AGENTS.md", "README.md"]
    assert result["instructions"]["AGENTS.md"] == "Be kind.\n"
    assert len(result["instructions"]["README.md"]) < 1_600
    assert weight(result) < LIMIT


async def test_an_empty_folder_is_a_project_too(bench: Workbench) -> None:
    result = (await outcome_of(GET_PROJECT_INFO, {}, bench)).result
    assert result["entries"] == ["src/"]
    assert result["size"] == {"files": 0, "bytes": 0}
    assert "instructions" not in result


@pytest.mark.parametrize("text", ["{", "[]", '{"scripts": 7}', "[" * 50_000])
async def test_files_that_cannot_be_understood_are_passed_over(
    bench: Workbench, ws: Path, text: str
) -> None:
    (ws / "package.json").write_text(text)
    (ws / "pyproject.toml").write_text(text)
    (ws / "README.md").write_bytes(bytes(10))
    result = (await outcome_of(GET_PROJECT_INFO, {}, bench)).result
    assert "scripts" not in result
    assert "instructions" not in result


async def test_a_huge_tree_is_counted_as_far_as_there_is_room(
    bench: Workbench, ws: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "_FILES", 50)
    for n in range(200):
        (ws / f"{n}.py").touch()
    result = (await outcome_of(GET_PROJECT_INFO, {}, bench)).result
    assert result["size"]["files"] == 50
    assert "more" in result["size"]["note"]
    assert result["entries"][-1] == "… and 141 more"


async def test_links_that_lead_out_are_not_read(bench: Workbench, ws: Path, tmp_path: Path) -> None:
    (tmp_path / "canary").write_text('{"scripts": {"canary": "x"}}')
    for name in ("README.md", "AGENTS.md", "package.json", "Makefile"):
        (ws / name).symlink_to("../canary")
    outcome = await outcome_of(GET_PROJECT_INFO, {}, bench)
    assert '"canary"' not in outcome.to_text()
    assert "scripts" not in outcome.result
