"""Severity: low (L9). Whatever a project puts where we read a file, we say so at once or go on without it.

Each file of a project that we read × each thing that can stand in its place × whoever reads it. A pipe without a
writer makes a plain `open` wait for ever.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.errors import Misconfigured, Problem
from bottega.settings import load, read_file
from bottega.tools.project import git
from bottega.tools.project.glance import description, glance
from bottega.tools.project.instructions import instructions
from bottega.tools.project.papers import papers
from bottega.tools.project.scripts import scripts
from bottega.tools.searching.ripgrep import Search, search
from bottega.workspaces.confine import Root
from bottega.workspaces.watch.walk import walk
from tests.attacks.acting import act, written
from tests.server.serving import Serving

FILES = {
    "the project's": (
        *(".bottega.toml", ".gitignore", ".ignore", ".rgignore", ".gitattributes", "AGENTS.md"),
        *("CLAUDE.md", "README.md", "CONTRIBUTING.md", "package.json", "pyproject.toml"),
        *("Makefile", "justfile", ".pytest_cache/v/cache/lastfailed", "sub/.gitignore"),
    ),
    "git's": (".git/info/exclude", ".git/packed-refs", ".git/index"),
    "what makes a repository": (".git/HEAD",),
}
"""Those of a group are replaced at once: none keeps the others from being read."""
WITHIN = 5.0


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _to_fifo(path: Path) -> None:
    pipe = path.with_name(f"{path.name}-pipe")
    os.mkfifo(pipe)
    path.symlink_to(pipe.name)


KINDS: tuple[Callable[[Path], None], ...] = (_fifo, _socket, _huge, _zero, _to_fifo, Path.mkdir)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "sub").mkdir()
    (project / ".pytest_cache/v/cache").mkdir(parents=True)
    (project / ".git/info").mkdir(exist_ok=True)
    (project / "found.txt").write_text("the needle\n")
    (project / "sub" / "other.txt").write_text("the needle\n")
    (project / "hidden.txt").write_text("the needle\n")
    return project


async def _searched(root: Root) -> list[bytes]:
    pieces: list[bytes] = []
    await search(
        root, Search(("--files-with-matches", "-e", "needle")), lambda p: not pieces.append(p)
    )
    return sorted(filter(None, b"".join(pieces).split(b"\0")))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.strip("_"))
@pytest.mark.parametrize("group", FILES)
async def test_every_reader_gets_past_it(
    project: Path, kind: Callable[[Path], None], group: str
) -> None:
    for name in FILES[group]:
        path = project / name
        path.unlink(missing_ok=True)
        kind(path)
    began = time.monotonic()
    await _read_by_all(project, ".bottega.toml" in FILES[group])
    assert time.monotonic() - began < WITHIN


async def _read_by_all(project: Path, settings_too: bool) -> None:
    with Root(project) as root:
        found = await _searched(root)
        await git.state(root)
        walk(root, 1_000)
        papers(root)
        scripts(root)
        instructions(root)
        glance(root)
        description(root)
    assert found == [b"./found.txt", b"./hidden.txt", b"./sub/other.txt"]
    told = ""
    try:
        load(home=project.parent / "home", folder=project, environment={})
    except Problem as problem:
        told = problem.message
    assert not told or (settings_too and "cannot be read" in told)


async def test_a_search_still_heeds_the_ignore_files_that_are_sound(project: Path) -> None:
    (project / ".gitignore").write_text("hidden.txt\n")
    os.mkfifo(project / "sub" / ".gitignore")
    with Root(project) as root:
        assert await _searched(root) == [b"./found.txt", b"./sub/other.txt"]


@pytest.mark.parametrize("name", [".bottega.toml", "config.toml"])
def test_no_command_waits_for_a_pipe(project: Path, name: str) -> None:
    home = project.parent / "home"
    home.mkdir()
    os.mkfifo((home if name == "config.toml" else project) / name)
    done = subprocess.run(
        [sys.executable, "-m", "bottega", "--home", str(home), "run", "-m", "guide", "hi"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 1
    assert "It is a pipe, not a file" in done.stderr


@pytest.fixture
def serving(project: Path) -> Iterator[Serving]:
    for name in (".bottega.toml", ".gitignore", "AGENTS.md", "package.json", "README.md"):
        os.mkfifo(project / name)
    agents = project.parent / "home" / "agents"
    agents.mkdir(parents=True)
    os.mkfifo(agents / "odd.toml")
    with Serving(project.parent / "home", project) as serving:
        yield serving


async def test_a_server_and_its_tools_answer_in_a_project_full_of_pipes(
    serving: Serving, project: Path
) -> None:
    async with serving.client() as client, asyncio.timeout(20):
        one = (await client.get("/api/projects"))["projects"][0]["id"]
        assert (await client.get(f"/api/projects/{one}/outlook"))["files"] == 3
        await client.get("/api/agents")
        model = written(
            project.parent,
            ("grep", {"pattern": "needle"}),
            ("glob", {"pattern": "**/*.txt"}),
            ("get_project_info", {}),
            ("read_file", {"file_path": "AGENTS.md"}),
        )
        _, results = await act(client, one, model)
    assert "other.txt" in str(results[0])
    assert "other.txt" in str(results[1])
    assert "pipe" in str(results[3])


@pytest.mark.parametrize("unit", ["[", "{a="])
def test_settings_that_are_nested_too_deeply_are_told_as_such(tmp_path: Path, unit: str) -> None:
    path = tmp_path / ".bottega.toml"
    path.write_text("a=" + unit * 200_000)
    with pytest.raises(Misconfigured, match="is no valid TOML"):
        read_file(path)


@pytest.mark.parametrize("form", ["{} = 1", "[{}]", "a = {{ {} = 1 }}", '"x".{} = 1'])
def test_a_key_of_very_many_parts_is_refused_at_once(tmp_path: Path, form: str) -> None:
    path = tmp_path / ".bottega.toml"
    path.write_text(form.format(" . ".join(["a"] * 20_000)))
    begun = time.thread_time()
    with pytest.raises(Misconfigured, match="more than 64 parts"):
        read_file(path)
    assert time.thread_time() - begun < 0.2
