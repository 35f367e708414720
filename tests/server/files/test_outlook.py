"""What is to be known of a folder before the first prompt."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

from tests.server.files.conftest import Desk
from tests.server.serving import Serving


def git(folder: Path, *words: str) -> None:
    said = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *said, *words], cwd=folder, check=True, capture_output=True)


async def outlook(desk: Desk, container: str = "") -> dict[str, Any]:
    return await desk.client.get(f"{desk.at}/outlook", params={"container": container})


async def test_an_empty_folder_is_told_as_one(desk: Desk) -> None:
    (desk.folder / "empty").mkdir()
    seen = await outlook(desk, "empty")
    assert (seen["files"], seen["languages"], seen["repository"]) == (0, [], None)
    assert {each["kind"] for each in seen["prompts"]} == {"begin"}


async def test_a_project_is_told_by_what_lies_in_it(desk: Desk) -> None:
    shop = desk.folder / "shop"
    (shop / "tests").mkdir(parents=True)
    (shop / ".pytest_cache/v/cache").mkdir(parents=True)
    files = {
        "pyproject.toml": "[project]\nname = 'shop'\n",
        "main.py": "print('hello')\n",
        "tests/test_main.py": "def test_it(): ...\n",
        "README.md": "# Shop\n\nSells things.\n",
        ".gitignore": ".pytest_cache\n",
        ".pytest_cache/v/cache/lastfailed": json.dumps(
            {"tests/test_main.py::test_it": True, "tests/test_gone.py::test_x": True}
        ),
    }
    for name, text in files.items():
        (shop / name).write_text(text)
    async with asyncio.timeout(20):
        while (seen := await outlook(desk, "shop"))["files"] != 5:
            pass
    assert seen["languages"][0] == {"name": "Python", "files": 2}
    assert seen["manifests"] == ["pyproject.toml"]
    assert seen["about"] == "Sells things."
    assert [each["kind"] for each in seen["prompts"]] == ["explain", "failed", "readme"]
    assert "`tests/test_main.py::test_it` failed" in seen["prompts"][1]["text"]
    assert "`python -m pytest`" in seen["prompts"][2]["text"]


async def test_uncommitted_work_is_counted_and_proposed_to_be_looked_at(
    home: Path, folder: Path
) -> None:
    git(folder, "init")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    (folder / "a.txt").write_text("two\n")
    (folder / "b.txt").write_text("new\n")
    with Serving(home, folder) as serving:
        async with serving.client() as client:
            project = (await client.get("/api/projects"))["projects"][0]["id"]
            seen = await client.get(f"/api/projects/{project}/outlook")
    assert seen["repository"] == {"branch": "main", "changed": 2, "under_way": "", "note": ""}
    assert "(`a.txt` and `b.txt`)" in seen["prompts"][1]["text"]


async def test_what_an_agent_may_do_is_told_for_each_mode(desk: Desk) -> None:
    seen = await outlook(desk)
    assert seen["sandbox"]["kind"] == "bubblewrap"
    assert seen["sandbox"]["runs"]
    async with asyncio.timeout(60):
        while (seen := await outlook(desk))["sandbox"]["trusted"] is None:
            pass
    modes = {each["mode"]: each["may"] for each in seen["modes"]}
    assert modes == {
        "plan": {"read": "allow", "write": "blocked", "run": "blocked", "network": "blocked"},
        "ask": {"read": "allow", "write": "ask", "run": "ask", "network": "ask"},
        "allow": {"read": "allow", "write": "allow", "run": "allow", "network": "allow"},
    }
    assert seen["mode"] == "ask"


async def test_no_container_leads_out(desk: Desk) -> None:
    for container, expected in {"..": 422, "nowhere": 404}.items():
        status, _ = await desk.client.call("GET", f"{desk.at}/outlook?container={container}")
        assert status == expected
