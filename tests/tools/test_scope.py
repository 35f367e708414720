"""An agent of a project sees all its folders; one of a container sees that folder as if nothing else were there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Problem
from bottega.tools.builtin import builtin_registry
from tests.tools.contexts import Workbench


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    for path, words in {
        "frontend/app/page.tsx": "needle in front",
        "backend/main.py": "needle in back",
        "README.md": "needle of the project",
        ".gitignore": "*.tsx",
    }.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(words)
    (made / "frontend" / "sideways").symlink_to("../backend")
    (made / "frontend" / "absolute").symlink_to(made / "backend")
    return made


@pytest.fixture
def bench(project: Path, request: pytest.FixtureRequest) -> Iterator[Workbench]:
    made = Workbench(project / request.param)
    yield made
    made.root.close()


async def answer(bench: Workbench, name: str, arguments: dict[str, Any]) -> str:
    """All that the model gets to know, of success or failure."""
    tool = builtin_registry().get(name)
    try:
        if tool.plan is not None:
            return str(await tool.plan(arguments, bench))
        assert tool.run is not None
        return (await tool.run(arguments, bench)).to_text()
    except Problem as problem:
        return str(problem)


@pytest.mark.requirement("T38")
@pytest.mark.parametrize("bench", ["."], indirect=True)
async def test_an_agent_of_a_project_sees_all_its_folders(bench: Workbench) -> None:
    listed = await answer(bench, "list_dir", {"depth": 3})
    assert "frontend/app/page.tsx" in listed
    assert "backend/main.py" in listed
    found = await answer(bench, "grep", {"pattern": "needle", "ignored": True})
    assert all(words in found for words in ("in front", "in back", "of the project"))
    assert "in back" in await answer(bench, "read_file", {"file_path": "backend/main.py"})


@pytest.mark.requirement("T39")
@pytest.mark.parametrize("bench", ["frontend"], indirect=True)
async def test_an_agent_of_a_container_has_its_folder_for_a_root(bench: Workbench) -> None:
    assert "in front" in await answer(bench, "read_file", {"file_path": "app/page.tsx"})
    assert "'app/new.tsx'" in await answer(
        bench, "write_file", {"file_path": "app/new.tsx", "content": "x"}
    )
    assert '"app/page.tsx"' in await answer(bench, "glob", {"pattern": "*.tsx"})


@pytest.mark.requirement("T39")
@pytest.mark.parametrize("bench", ["frontend"], indirect=True)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_dir", {"depth": 5}),
        ("list_dir", {"path": ".."}),
        ("list_dir", {"path": "sideways"}),
        ("glob", {"pattern": "**", "hidden": True, "ignored": True}),
        ("glob", {"pattern": "../**"}),
        ("glob", {"pattern": "*", "path": "sideways"}),
        ("grep", {"pattern": "needle", "hidden": True, "ignored": True}),
        ("grep", {"pattern": "needle", "path": ".."}),
        ("grep", {"pattern": "needle", "path": "absolute"}),
        ("read_file", {"file_path": "../backend/main.py"}),
        ("read_file", {"file_path": "backend/main.py"}),
        ("read_file", {"file_path": "PROJECT/backend/main.py"}),
        ("read_file", {"files": [{"path": "sideways/main.py"}, {"path": "absolute/main.py"}]}),
        ("read_file", {"file_path": "../README.md"}),
        ("write_file", {"file_path": "../backend/main.py", "content": "x"}),
        ("write_file", {"file_path": "sideways/new.py", "content": "x"}),
        (
            "patch_file",
            {"file_path": "absolute/main.py", "patches": [{"old_text": "x", "new_text": "y"}]},
        ),
        (
            "multi_edit",
            {
                "edits": [
                    {
                        "file_path": "../README.md",
                        "patches": [{"old_text": "needle", "new_text": "pin"}],
                    }
                ]
            },
        ),
        ("get_project_info", {}),
    ],
)
async def test_an_agent_of_a_container_sees_nothing_else(
    bench: Workbench, project: Path, name: str, arguments: dict[str, Any]
) -> None:
    if arguments.get("file_path", "").startswith("PROJECT"):
        arguments = {"file_path": arguments["file_path"].replace("PROJECT", str(project))}
    told = await answer(bench, name, arguments)
    assert "in back" not in told
    assert "of the project" not in told
