"""Finding a server's program, and what it must be able to read; nothing that agents write is ever a part of it."""

import sys
from pathlib import Path

import pytest

from bottega.errors import Misconfigured
from bottega.mcp.programs import Program, find
from bottega.mcp.server import McpServer


def found(tmp_path: Path, command: str, *args: str, path: str = "/usr/bin:/bin") -> Program:
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    return find("a", McpServer(command=command, args=args), str(folder), path)


def program(path: Path, first: str = "#!/bin/sh") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_starts_at_the_root_with_its_arguments_as_they_are(tmp_path: Path) -> None:
    made = found(tmp_path, "sh", "-x", "a b", "$HOME", "--repository={folder}")

    assert made.argv[:4] == ("/bin/sh", "-c", 'cd / && exec "$@"', "sh")
    assert made.argv[4:] in [
        (f"{where}/sh", "-x", "a b", "$HOME", f"--repository={tmp_path}/project")
        for where in ("/usr/bin", "/bin")
    ]
    assert made.visible == ()
    assert made.path == "/usr/local/bin:/usr/bin:/bin"


def test_what_is_not_there_or_not_whole_is_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="The program 'nowhere' of the MCP server 'a' is not"):
        found(tmp_path, "nowhere")
    with pytest.raises(Misconfigured, match="is a relative path"):
        found(tmp_path, "tools/server")


def test_an_installation_is_visible_as_a_whole(tmp_path: Path) -> None:
    node = program(tmp_path / "opt/node/bin/node")

    made = found(tmp_path, node)

    assert made.visible == (f"{tmp_path}/opt/node",)
    assert made.path.startswith(f"{tmp_path}/opt/node/bin:")


def test_a_virtual_environment_brings_its_python(tmp_path: Path) -> None:
    home = tmp_path / "pythons/3.11"
    program(home / "bin/python3.11", "")
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/python").symlink_to(home / "bin/python3.11")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {home}/bin\nversion = 3.11\n")
    script = program(tmp_path / "venv/bin/server", f"#!{tmp_path}/venv/bin/python")

    assert found(tmp_path, script).visible == (f"{home}", f"{tmp_path}/venv")


def test_an_interpreter_that_is_looked_up_is_found_beside_the_script(tmp_path: Path) -> None:
    program(tmp_path / "nodes/20/bin/node")
    script = program(
        tmp_path / "nodes/20/lib/node_modules/npm/bin/npx-cli.js", "#!/usr/bin/env node"
    )
    (tmp_path / "nodes/20/bin/npx").symlink_to(script)

    assert found(tmp_path, str(tmp_path / "nodes/20/bin/npx")).visible == (f"{tmp_path}/nodes/20",)


def test_a_script_brings_its_package_and_its_modules(tmp_path: Path) -> None:
    package = tmp_path / "code/server"
    script = program(package / "dist/index.js")
    (package / "package.json").write_text("{}")
    module = program(tmp_path / "code/app/node_modules/@x/y/dist/index.js")

    assert found(tmp_path, "sh", script).visible == (str(package),)
    assert found(tmp_path, "sh", module).visible == (f"{tmp_path}/code/app/node_modules",)


def test_a_script_in_a_home_shows_nothing_else_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    script = program(tmp_path / "me/server.py")
    (tmp_path / "me/pyproject.toml").write_text("")
    tool = program(tmp_path / "me/tool")

    assert found(tmp_path, sys.executable, script).visible.count(script) == 1
    assert found(tmp_path, tool).visible == (tool,)
    assert str(tmp_path / "me") not in found(tmp_path, tool, str(tmp_path / "me")).visible


def test_a_program_that_was_installed_for_one_person_shows_nothing_of_what_they_keep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Severity: high (M2, its kind). `~/.local` has keyrings, `~/.cargo` credentials."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    tool = home / ".local/share/uv/tools/server"
    program(tool / "bin/server")
    for each in (".local/bin", ".cargo/bin", "bin", ".venv/bin", "Documents"):
        (home / each).mkdir(parents=True)
    (home / ".local/bin/server").symlink_to(tool / "bin/server")
    modules = home / ".local/lib/python3.11/site-packages"
    modules.mkdir(parents=True)
    (home / ".venv/pyvenv.cfg").write_text("home = /usr/bin\n")

    linked = found(tmp_path, str(home / ".local/bin/server")).visible
    assert linked == (f"{home}/.local/bin/server", str(modules), str(tool))
    for each in (".cargo/bin/cargo-server", "bin/server", "Documents/server"):
        path = program(home / each)
        assert found(tmp_path, path).visible == (path,)
    inside = program(home / ".venv/bin/server")
    assert found(tmp_path, inside).visible == (f"{home}/.venv",)


def test_what_the_user_made_visible_is(tmp_path: Path) -> None:
    server = McpServer(command="sh", visible=("/srv/models", "/usr/share/x"))

    assert find("a", server, str(tmp_path), "/usr/bin:/bin").visible == ("/srv/models",)


@pytest.mark.parametrize("how", ["program", "script", "link", "placeholder"])
def test_code_in_the_folder_where_agents_write_is_never_run(tmp_path: Path, how: str) -> None:
    own = program(tmp_path / "project/server.py")
    link = tmp_path / "link"
    link.symlink_to(own)
    calls = {
        "program": (own,),
        "script": (sys.executable, "-u", own),
        "link": (str(link),),
        "placeholder": (sys.executable, "{folder}/server.py"),
    }

    with pytest.raises(Misconfigured, match="agents write"):
        found(tmp_path, *calls[how])


def test_a_file_of_the_folder_may_be_named_to_a_program(tmp_path: Path) -> None:
    own = program(tmp_path / "project/data.db")

    made = found(tmp_path, "cat", "{folder}/data.db")

    assert made.argv[-1] == own
    assert made.visible == ()
    with pytest.raises(Misconfigured, match="Data of the session's folder is named by {folder}"):
        found(tmp_path, "cat", own)
