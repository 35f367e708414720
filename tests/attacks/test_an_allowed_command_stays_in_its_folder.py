"""Severity: medium (M10). A rule or a grant for `make test` runs the Makefile of any folder that an agent names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega import Ask, Reply
from bottega.studio import Studio
from tests.workspaces.sandbox.needs import needs_bubblewrap

Scripted = Callable[..., str]
pytestmark = needs_bubblewrap

RULES = """
[[rules]]
verdict = "allow"
command = "make *"
[[rules]]
verdict = "allow"
command = "cd *"
[[rules]]
verdict = "allow"
command = "npm test *"
[[rules]]
verdict = "allow"
command = "git status *"
[[rules]]
verdict = "allow"
command = "cargo test *"
[[rules]]
verdict = "allow"
command = "make test"
folder = "named/**"
"""
DETOURS: list[dict[str, str]] = [
    *(
        {"command": "make test", "folder": folder}
        for folder in ("evil", "./evil", "link", "evil/../evil")
    ),
    *(
        {"command": command}
        for command in (
            "cd evil && make test",
            "cd evil; make test",
            "cd evil\nmake test",
            "cd evil || make test",
            "cd link && make test",
            "cd ./evil/. && make test",
            "make test && cd evil && make test",
            "(cd evil; make test)",
            "pushd evil && make test",
            "env -C evil make test",
            "make -C evil test",
            "make -Cevil test",
            "make -kC evil test",
            "make --directory=evil test",
            "make --dir evil test",
            "make -f evil/Makefile test",
            "make -sf evil/Makefile test",
            "make -I evil test",
            "make test MAKEFILES=evil/Makefile",
            "npm test --prefix evil",
            "npm test --prefix=evil",
            "npm test --pref evil",
            "npm test -C evil",
            "npm test -w evil",
            "git -C evil status",
            "git status --git-dir=evil",
            "cargo test --manifest-path evil/Cargo.toml",
            "cargo test -C evil",
        )
    ),
]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


@pytest.fixture
def project(home: Path, folder: Path) -> Path:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(RULES)
    (folder / "Makefile").write_text("test:\n\t@echo ours\n")
    for name in ("evil", "named"):
        (folder / name).mkdir()
        (folder / name / "Makefile").write_text(f"test:\n\t@touch {folder}/{name}-ran\n")
    (folder / "link").symlink_to("evil")
    return folder


async def tried(
    home: Path, folder: Path, model: str, reply: Callable[[Ask], Reply]
) -> list[dict[str, Any]]:
    """What a person was asked about, by its arguments."""
    asked: list[dict[str, Any]] = []

    def answer(ask: Ask) -> Reply:
        asked.append(ask.input)
        return reply(ask)

    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="ask")
        await session.prompt("go", on_approval=answer)
    return asked


async def test_every_way_into_another_folder_is_asked_about(
    home: Path, project: Path, scripted: Scripted
) -> None:
    model = scripted(
        [call("bash_exec", **each) for each in DETOURS], [{"do": "say", "text": "Done."}]
    )
    asked = await tried(home, project, model, lambda _: Reply("deny"))
    assert [each for each in DETOURS if each not in asked] == []
    assert not (project / "evil-ran").exists()


async def test_what_the_rule_names_runs_unasked_here_and_in_the_folder_that_it_names(
    home: Path, project: Path, scripted: Scripted
) -> None:
    usual = [
        {"command": "make test"},
        {"command": "make test", "folder": "."},
        {"command": "cd . && make -s test"},
        {"command": "make test", "folder": "named"},
        {"command": "cd named && make test"},
    ]
    model = scripted(
        [call("bash_exec", **each) for each in usual], [{"do": "say", "text": "Done."}]
    )
    assert await tried(home, project, model, lambda _: Reply("deny")) == []
    assert (project / "named-ran").exists()


async def test_a_grant_says_the_folder_that_it_covers_and_covers_no_other(
    home: Path, project: Path, scripted: Scripted
) -> None:
    offers: list[list[str]] = []

    def grant(ask: Ask) -> Reply:
        offers.append(ask.asked.detail["offers"])
        return (
            Reply("allow_all", grant="bash_exec@web(true)") if len(offers) == 1 else Reply("deny")
        )

    for name in ("web", "web/deeper", "other"):
        (project / name).mkdir()
    turns = [
        [call("bash_exec", command="true", folder=folder)]
        for folder in ("web", "web", "web/deeper", "other", ".")
    ]
    asked = await tried(home, project, scripted(*turns, [{"do": "say", "text": "."}]), grant)
    assert "bash_exec@web(true)" in offers[0]
    assert [each.get("folder") for each in asked] == ["web", "web/deeper", "other", "."]
