"""Severity: critical (C2). A workspace that holds the running program: no command, tool or route changes its code.

The server runs from a copy of the package that lies in its own project, as in a checkout or a project's own `.venv`.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import bottega
from bottega.projects.sample import FILES
from tests.attacks.acting import act, written
from tests.server.serving import Client, Serving
from tests.workspaces.sandbox.needs import needs_bubblewrap

PAGE = "src/bottega/sessions/exports/page.py"
COMMANDS = (
    f'echo \'open("ESCAPED","w")\' >> {PAGE}',
    f"rm {PAGE}",
    f"sed -i s/a/b/ {PAGE}",
    f"mv {PAGE} {PAGE}.old",
    f"chmod 777 {PAGE}",
    "mv src away && mkdir -p src/bottega",
    "mv src/bottega src/other",
    "rm -rf src",
    "ln -sfn /tmp src/bottega",
    "echo x > src/bottega/new_module.py",
    "echo x > src/json.py",
    "echo x > src/evil.pth",
    "mkdir src/aiohttp",
    "echo x > lib/json.py",
    "mv lib library",
    "rmdir lib && mkdir lib",
    "mkdir -p src/bottega/__pycache__ && echo x > src/bottega/__pycache__/runtime.cpython-311.pyc",
    f"ln {PAGE} second-name.py && echo x >> second-name.py",
    f"ln -s {PAGE} link.py; echo x >> link.py",
    "rm -rf src/bottega/server/pages/built; echo x > src/bottega/server/pages/built/index.html",
    f"python3 -c \"import os; f=os.open('{PAGE}',os.O_RDWR)\"",
    "mount -o remount,rw src/bottega",
    "umount src/bottega",
)
"""Each ends with a failure, and changes nothing."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that holds the program."""
    place = tmp_path_factory.mktemp("own") / "place"
    project = place / "project"
    package = Path(bottega.__file__).parent
    left_out = shutil.ignore_patterns("assets")
    shutil.copytree(package, project / "src" / "bottega", ignore=left_out)
    (project / "lib").mkdir()
    (project / "notes.txt").write_text("hello\n")
    (place / "elsewhere").mkdir()
    return place


@pytest.fixture(scope="module")
def serving(place: Path) -> Iterator[Serving]:
    project = place / "project"
    path = os.pathsep.join((str(project / "src"), str(project / "lib")))
    serving = Serving(
        place / "home",
        place / "elsewhere",
        environment={"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    subprocess.run(
        [sys.executable, "-m", "bottega", "--home", place / "home", "projects", "add", project],
        check=True,
        capture_output=True,
    )
    with serving:
        yield serving


@pytest.fixture
async def client(serving: Serving) -> AsyncIterator[Client]:
    async with serving.client() as client:
        yield client


async def _project(client: Client, place: Path) -> str:
    listed = (await client.get("/api/projects"))["projects"]
    return next(each["id"] for each in listed if each["folder"] == str(place / "project"))


def _state(place: Path) -> dict[str, tuple[int, int, int]]:
    """Every protected file with what tells whether it was changed."""
    found: dict[str, tuple[int, int, int]] = {}
    for top in (place / "project" / "src", place / "project" / "lib"):
        for path in (top, *sorted(top.rglob("*"))):
            seen = path.lstat()
            found[str(path)] = (seen.st_mode, seen.st_ino, seen.st_size)
    return found


@needs_bubblewrap
async def test_no_command_changes_the_code_or_puts_another_in_its_place(
    client: Client, place: Path
) -> None:
    before = _state(place)
    calls = [("bash_exec", {"command": f"{each}; echo code=$?"}) for each in COMMANDS]
    _, results = await act(client, await _project(client, place), written(place, *calls))
    assert len(results) == len(COMMANDS)
    assert _state(place) == before
    assert not (place / "project" / "away").exists()


@needs_bubblewrap
async def test_a_command_still_writes_the_rest_of_the_project(client: Client, place: Path) -> None:
    model = written(
        place, ("bash_exec", {"command": "echo mine > made.txt && cat src/bottega/ids.py"})
    )
    await act(client, await _project(client, place), model)
    assert (place / "project" / "made.txt").read_text() == "mine\n"


async def test_no_file_tool_writes_there(client: Client, place: Path) -> None:
    before = _state(place)
    (place / "project" / "link").symlink_to("src")
    calls: list[tuple[str, dict[str, Any]]] = []
    for path in (PAGE, "src/json.py", "src/bottega/new/deep.py", "lib/json.py", "link/json.py"):
        calls.append(("write_file", {"file_path": path, "content": "raise SystemExit\n"}))
    edit = {"old_text": '"""', "new_text": 'x = 1\n"""', "replace_all": True}
    calls.append(("patch_file", {"file_path": PAGE, "patches": [edit]}))
    calls.append(("multi_edit", {"edits": [{"file_path": PAGE, "patches": [edit]}]}))
    _, results = await act(client, await _project(client, place), written(place, *calls))
    assert len(results) == len(calls)
    assert _state(place) == before
    for each in results[:-1]:
        assert "part of the program that is running" in str(each), each


ROUTES: tuple[tuple[str, str, Any], ...] = (
    ("PUT", "/files", {"path": "src/json.py", "content": "x"}),
    ("PUT", "/files", {"path": "lib/json.py", "content": "x"}),
    ("POST", "/folders", {"path": "src/aiohttp"}),
    ("DELETE", "/files", {"path": "src", "recursive": True}),
    ("DELETE", "/files", {"path": "lib"}),
    ("POST", "/files/move", {"path": "src", "to": "away"}),
    ("POST", "/files/move", {"path": "src/bottega", "to": "away"}),
    ("POST", "/files/move", {"path": "notes.txt", "to": "src/json.py"}),
)


async def test_no_route_of_files_writes_there(client: Client, place: Path) -> None:
    before = _state(place)
    project = await _project(client, place)
    listed = (await client.get("/api/openapi.json"))["paths"]
    answers: dict[str, tuple[int, Any]] = {}
    for path, methods in listed.items():
        if not path.startswith("/api/projects/{project_id}/"):
            continue
        for method in methods:
            if method == "get":
                continue
            for inside in ("src/json.py", "src", "src/bottega", PAGE, "lib", "lib/json.py"):
                where = path.replace("{project_id}", project).replace("{path}", inside)
                query = {"path": inside, "to": "away", "recursive": "true", "version": ""}
                body = {
                    "path": inside,
                    "content": "x",
                    "version": "",
                    "to": "away",
                    "recursive": True,
                }
                answers[f"{method} {where} {inside}"] = await client.call(
                    method.upper(), where, body, params=query
                )
                answers[f"raw {method} {where} {inside}"] = await client.call(
                    method.upper(), where, None, params=query, data=b"x"
                )
                moved = {**body, "path": "notes.txt", "to": inside}
                await client.call(
                    method.upper(),
                    where,
                    moved,
                    params={**query, "path": "notes.txt", "to": inside},
                )
    assert _state(place) == before
    refused = [
        each for each in answers.values() if each[0] == 403 and each[1]["code"] == "own_code"
    ]
    assert len(refused) >= 12, answers


async def test_undoing_a_session_writes_nothing_there(client: Client, place: Path) -> None:
    """A session from when another copy of the program ran: its work there is not undone by this one."""
    project = place / "project"
    model = written(place, ("write_file", {"file_path": "src/other.py", "content": "x = 1\n"}))
    environment = {**os.environ, "BOTTEGA_SCRIPTS": str(place)}
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "bottega", "--home", place / "home", "run", "--mode", "allow", "-m", model, "go"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    session = (await client.get("/api/sessions"))["sessions"][0]["id"]
    before = _state(place)
    assert str(project / "src" / "other.py") in before
    await client.call(
        "POST", f"/api/sessions/{session}/changes/revert", {"paths": ["src/other.py"]}
    )
    await client.call("POST", f"/api/sessions/{session}/undo", {})
    assert _state(place) == before


@needs_bubblewrap
async def test_in_a_folder_that_is_the_program_nothing_runs_unasked(place: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from bottega.workspaces.sandbox.local import Local\n"
        "print(asyncio.run(Local(Path(sys.argv[1])).trusted(sys.argv[2])))"
    )
    project = place / "project"
    inside = {}
    for folder in (
        project,
        project / "src",
        project / "src" / "bottega" / "tools",
        place / "elsewhere",
    ):
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-P", "-c", code, place / "state", folder],
            env={**os.environ, "PYTHONPATH": str(project / "src")},
            capture_output=True,
            text=True,
            check=True,
        )
        inside[folder.name] = done.stdout.strip()
    assert inside["project"] == inside["elsewhere"] == ""
    for name in ("src", "tools"):
        assert "Allow mode is off in this folder" in inside[name]
        assert "part of the program that is running" in inside[name]


def test_a_server_that_is_started_in_its_own_checkout_begins_in_a_sample_project(
    place: Path,
) -> None:
    project = place / "project"
    own = Serving(place / "fresh", project, environment={"PYTHONPATH": str(project / "src")})
    with own:
        listed = asyncio.run(_listed(own))
    made = place / "fresh-projects" / "sample"
    assert listed == [str(made)]
    assert sorted(path.name for path in made.iterdir()) == sorted(FILES)


async def _listed(serving: Serving) -> list[str]:
    async with serving.client() as client:
        return [each["folder"] for each in (await client.get("/api/projects"))["projects"]]
