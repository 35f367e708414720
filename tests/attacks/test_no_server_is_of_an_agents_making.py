"""Severity: high. An MCP server gets its secret unasked; its program lies in some project, where an agent rewrites it.

However its command line is spelled, and in whichever project the session is: nothing that agents write becomes a part
of a server. What is recognised is refused; what is not sees no project at all.
"""

import itertools
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from bottega import Studio
from bottega.errors import Misconfigured, Problem
from bottega.isolation import mcp_servers, way_out
from bottega.mcp.approved import Approved
from bottega.mcp.programs import find
from bottega.mcp.server import McpServer
from bottega.projects.projects import Projects
from bottega.sessions.session import HOST
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from tests.mcp.conftest import ODD

PYTHON = os.path.realpath(sys.executable)


class Places(msgspec.Struct, frozen=True):
    studio: Studio
    project: Path
    """Has a server's program, which an agent may have written."""
    elsewhere: Path
    """Another project."""
    installed: Path
    """Where nobody works."""


@pytest.fixture
async def places(home: Path, tmp_path: Path) -> AsyncIterator[Places]:
    made = Places(Studio(home), tmp_path / "a b", tmp_path / "elsewhere", tmp_path / "installed")
    for each in (made.project / "sub", made.elsewhere, made.installed):
        each.mkdir(parents=True)
    server = made.project / "server.py"
    server.write_text(f"#!{PYTHON}\n{ODD.read_text()}")
    server.chmod(0o755)
    (made.installed / "link").symlink_to(made.project)
    (made.project / "out").symlink_to(made.installed)
    (made.installed / "real.py").write_text("")
    (made.installed / "real.py").chmod(0o755)
    async with made.studio as studio:
        projects = Projects(studio.runtime.database)
        await projects.add(made.elsewhere, HOST)
        await projects.remove(await projects.add(made.project, HOST))
        yield made


def spelled(places: Places) -> dict[str, str]:
    """Names of the program, and of one that is reached through a link that an agent may turn elsewhere."""
    project = str(places.project)
    return {
        "as it is": f"{project}/server.py",
        "with dots": f"{project}/sub/../server.py",
        "doubled": f"/{project}//server.py",
        "by a link": f"{places.installed}/link/server.py",
        "from the root": f"{project}/server.py"[1:],
        "through a link": f"{project}/out/real.py",
    }


LINES = (
    "{}",
    "python3 {}",
    "python3 -u {}",
    "python3 -W ignore {}",
    "python3 -X importtime -W ignore -- {}",
    "env A=1 python3 {}",
    "nice python3 {}",
    "timeout 9 sh {}",
    "sh {}",
    "bash -c|exec python3 '{}'",
    "node --import {} /opt/x.js",
    "node --import={} /opt/x.js",
    "node -r {} /opt/x.js",
    "uv run --directory {} server",
    "uvx --from {} server",
    "npx tsx {}",
    "npx -y --package={} server",
    "perl -I{} /opt/x.pl",
    "make -C {}",
    "java -cp /opt/x.jar:{} Main",
    "some-server --plugin {}",
    "some-server --plugin=file://{}",
)


def line(template: str, path: str) -> McpServer:
    """Its words, of which the path may hold spaces."""
    first, bar, script = template.partition("|")
    words = [word.format(path) for word in first.split()] + ([script.format(path)] if bar else [])
    command, *args = words
    return McpServer(command=command, args=tuple(args))


def known(server: McpServer, installed: Path) -> str:
    """A PATH on which its program is to be found, whether this machine has it or not."""
    program = installed / server.command
    if "/" not in server.command and not program.exists():
        program.write_text("")
        program.chmod(0o755)
    return str(installed)


async def test_no_spelling_of_a_program_in_any_project_is_started(places: Places) -> None:
    for (how, path), template in itertools.product(spelled(places).items(), LINES):
        server = line(template, path)
        if server.command.startswith("/") or "/" not in server.command:
            for session in (places.project, places.project / "sub", places.elsewhere):
                with pytest.raises(Misconfigured) as refused:
                    find("a", server, str(session), known(server, places.installed))
                assert "where agents write" in str(refused.value), (how, template)


@pytest.mark.parametrize(
    "name", ["PYTHONPATH", "NODE_OPTIONS", "PATH", "LD_PRELOAD", "BASH_ENV", "PERL5OPT"]
)
async def test_no_variable_leads_a_server_there(places: Places, name: str) -> None:
    for path in spelled(places).values():
        values = (path, f"/opt:{path}", f"--import {path}", f"-I{path}", f"-Mlib={path}")
        for value in values if " " not in path else values[:1]:
            server = McpServer(command=PYTHON, args=("-m", "x"), env={name: value})
            with pytest.raises(Misconfigured, match="where agents write"):
                find("a", server, str(places.elsewhere), "")


@pytest.mark.parametrize("template", [each for each in LINES if "some-server" not in each])
async def test_the_sessions_folder_is_named_as_data_only(places: Places, template: str) -> None:
    for path in ("{folder}/server.py", "{folder}"):
        words = (
            template.replace("{}", path).replace("|", " ").split(" ", 3 if "|" in template else -1)
        )
        server = McpServer(command=words[0], args=tuple(words[1:]))
        with pytest.raises(Misconfigured):
            find("a", server, str(places.project), known(server, places.installed))


async def test_what_is_installed_as_editable_or_only_starts_another_is_refused(
    places: Places,
) -> None:
    packages = places.installed / "venv/lib/python3.11/site-packages"
    program = places.installed / "venv/bin/server"
    for each in (packages, program.parent):
        each.mkdir(parents=True)
    program.write_text(f"#!{PYTHON}\n")
    program.chmod(0o755)
    server = McpServer(command=str(program))
    assert find("a", server, str(places.elsewhere), "").sees_folder
    (packages / "server.pth").write_text(f"{places.project}\n")
    with pytest.raises(Misconfigured, match="where agents write"):
        find("a", server, str(places.elsewhere), "")
    (packages / "server.pth").unlink()
    program.write_text(f'#!/bin/sh\nexec python3 "{places.project}/server.py"\n')
    with pytest.raises(Misconfigured, match="where agents write"):
        find("a", server, str(places.elsewhere), "")


BLIND = (
    "cd {above}; cd a*; exec {python} server.py",
    "exec {python} {above}/[a]*/server.py",
    "d=$(printf '%s/%s %s' {above} a b); exec {python} \"$d/server.py\"",
)


@pytest.mark.parametrize("session", ["project", "elsewhere"])
async def test_what_cannot_be_recognised_sees_no_project(places: Places, session: str) -> None:
    settings, folder = places.studio.settings, getattr(places, session)
    if Local(settings.home / "sandbox").kind != "bubblewrap":
        pytest.skip("bubblewrap is not installed")

    async def open_root() -> Root:
        return Root(folder)

    above = str(places.project.parent)
    offered = {
        f"s{at}": McpServer(
            command="/bin/sh",
            args=("-c", script.format(above=above, python=PYTHON)),
            visible=(above, *{sys.base_prefix} - {"/usr"}),
        )
        for at, script in enumerate(BLIND)
    }
    for name, server in offered.items():
        Approved(settings.home).approve(name, server)
    servers = mcp_servers(settings, str(folder), way_out(settings), open_root, offered)
    try:
        for name in offered:
            with pytest.raises(Problem, match=r"server\.py"):
                await servers.examine(name)
    finally:
        await servers.close()
