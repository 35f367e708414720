"""Severity: critical (C2). What an agent leaves in the project is not what the server imports or starts next.

The server is started with the project as its current folder and its `.venv/bin` first in PATH, as in a terminal in
which the project's environment is active.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.acting import act, written
from tests.server.serving import Client, Serving
from tests.workspaces.sandbox.needs import needs_bubblewrap

SHADOWED = (
    *("json", "asyncio", "logging", "sqlite3", "ssl", "difflib", "bottega", "aiohttp", "msgspec"),
    *("mcp", "trafilatura", "encodings", "site", "sitecustomize", "usercustomize", "runpy", "pwd"),
)
PLANTED = ("bwrap", "git", "rg", "python3", "python", "sh", "bash", "env", "node", "ps", "uname")

AUDIT = """
import os, sys
log = os.open(os.environ["IMPORT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
def hook(event, arguments):
    if event == "import" and arguments[0].partition(".")[0] not in sys.stdlib_module_names:
        os.write(log, (arguments[0] + "\\n").encode())
sys.addaudithook(hook)
"""
"""Says of every module when it is first imported."""


class Place:
    def __init__(self, place: Path) -> None:
        self.place = place
        self.project = place / "project"
        self.bin = self.project / ".venv" / "bin"
        self.bin.mkdir(parents=True)
        self.canary = place / "CANARY"
        self.log = place / "imports"
        for name in PLANTED:
            (self.bin / name).write_text(f"#!/bin/sh\necho {name} >> {self.canary}\nexit 1\n")
            (self.bin / name).chmod(0o755)
        audit = place / "audit"
        audit.mkdir()
        (audit / "sitecustomize.py").write_text(AUDIT)
        (self.project / "notes.md").write_text("the needle\n")

    def plant(self) -> None:
        """As an agent would, while the server runs."""
        for name in SHADOWED:
            text = f"open({str(self.canary)!r}, 'a').write({name!r} + '\\n')\nraise SystemExit\n"
            (self.project / f"{name}.py").write_text(text)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("planted") / "place"
    folder.mkdir()
    return Place(folder)


@pytest.fixture(scope="module")
def serving(place: Place) -> Iterator[Serving]:
    serving = Serving(
        place.place / "home",
        place.project,
        *("--workers", "1"),
        environment={
            "PATH": f".:{place.bin}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(
                filter(None, (str(place.place / "audit"), os.environ.get("PYTHONPATH")))
            ),
            "IMPORT_LOG": str(place.log),
        },
    )
    with serving:
        place.plant()
        yield serving


@pytest.fixture
async def client(serving: Serving) -> AsyncIterator[Client]:
    async with serving.client() as client:
        yield client


async def _worker(client: Client) -> dict[str, Any]:
    async with asyncio.timeout(30):
        while True:
            members = (await client.get("/api/workers"))["workers"]
            if members[0]["state"] == "running":
                return members[0]
            await asyncio.sleep(0.05)


async def test_a_worker_that_is_started_again_imports_nothing_of_the_project(
    client: Client, place: Place
) -> None:
    first = await _worker(client)
    os.kill(first["pid"], signal.SIGKILL)
    async with asyncio.timeout(30):
        while (await _worker(client))["pid"] == first["pid"]:
            await asyncio.sleep(0.05)
    assert not place.canary.exists(), place.canary.read_text()


@needs_bubblewrap
async def test_no_program_of_the_project_is_started_and_nothing_is_imported_late(
    client: Client, place: Place
) -> None:
    project = (await client.get("/api/projects"))["projects"][0]["id"]
    await _worker(client)
    loaded = set(place.log.read_text().split())
    model = written(
        place.place,
        ("bash_exec", {"command": "echo hello"}),
        ("grep", {"pattern": "needle"}),
        ("glob", {"pattern": "**"}),
        ("get_project_info", {}),
        ("write_file", {"file_path": "new.txt", "content": "x\n"}),
        ("web_fetch", {"url": "http://127.0.0.1:9/"}),
        ("shell_open", {}),
        ("todo_write", {"todos": []}),
    )
    session, results = await act(client, project, model)
    assert len(results) == 8
    for path in (
        *(f"/api/sessions/{session}/export?format={each}" for each in ("html", "md", "jsonl")),
        *(
            f"/api/sessions/{session}/{each}"
            for each in ("", "changes", "events", "context", "usage")
        ),
        *("/api/search?q=needle", "/api/models", "/api/settings", "/api/agents", "/metrics", "/"),
        *("/healthz", "/readyz", "/api/openapi.json", "/api/usage", "/api/discovery", "/api/keys"),
        *(f"/api/projects/{project}/{each}" for each in ("outlook", "tree", "find?q=n")),
    ):
        async with client.session.get(path) as response:
            await response.read()
    await client.call("PATCH", "/api/settings", {"effort": "low"})
    await client.call("POST", f"/api/sessions/{session}/compact", {})
    late = set(place.log.read_text().split()) - loaded
    assert sorted(late) == [], " ".join(sorted(late))
    assert not place.canary.exists(), place.canary.read_text()


def test_a_command_line_that_is_started_there_imports_nothing_of_the_project(place: Place) -> None:
    place.plant()
    (place.project / "bottega.py").unlink()  # whoever types `python -m bottega` there asks for it
    (place.project / "runpy.py").unlink()  # Python itself looks there for how to run a module
    done = subprocess.run(
        [sys.executable, "-m", "bottega", "--home", str(place.place / "cli"), "run", "-m", "guide", "hi"],
        cwd=place.project,
        env={**os.environ, "PATH": f".:{place.bin}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not place.canary.exists(), place.canary.read_text()
