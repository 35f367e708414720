"""Severity: low (L1). What a model is told of the folder before it asks names no file that a rule denies."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.sessions.session import HOST
from bottega.studio import Studio
from tests.agents.test_types import of, say


def _track(folder: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


async def test_neither_the_listing_nor_the_state_of_git_names_a_denied_file(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[[rules]]\nverdict = "deny"\npath = "secrets/**"\n')
    (folder / "secrets").mkdir()
    for name in ("shown.txt", "secrets/merger-with-acme.txt"):
        (folder / name).write_text("words")
    _track(folder)
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([say("Done.")]), folder=folder)
        assert (await session.prompt("go")).success
        told = str(of(await session.facts(), "aside"))
    assert "A. shown.txt" in told
    assert "merger-with-acme" not in told


@pytest.mark.parametrize("rule", [".env", "**/.env", "AGENTS.md", "**"])
@pytest.mark.parametrize("link", [os.symlink, os.link])
async def test_instructions_above_the_folder_are_judged_as_those_in_it_are(
    home: Path, folder: Path, scripted: Callable[..., str], link: Callable[..., None], rule: str
) -> None:
    """Severity: medium (M10, its kind)."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f'[[rules]]\nverdict = "deny"\npath = "{rule}"\n')
    (folder / ".env").write_text("SECRET=canary")
    (folder / "sub").mkdir()
    link(".env" if link is os.symlink else folder / ".env", folder / "AGENTS.md")
    _track(folder)
    async with Studio(home) as studio:
        await studio.runtime.folders.projects.add(folder, HOST)
        model = scripted([say("Done.")], [say("Done.")])
        for place in (folder, folder / "sub"):
            session = await studio.start(model=model, folder=place)
            assert (await session.prompt("go")).success
            assert "canary" not in str(await session.facts())


async def test_instructions_above_the_folder_that_no_rule_denies_are_told(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[[rules]]\nverdict = "deny"\npath = ".env"\n')
    (folder / "sub").mkdir()
    (folder / "AGENTS.md").write_text("use tabs")
    _track(folder)
    async with Studio(home) as studio:
        await studio.runtime.folders.projects.add(folder, HOST)
        session = await studio.start(model=scripted([say("Done.")]), folder=folder / "sub")
        assert (await session.prompt("go")).success
        assert "use tabs" in str(await session.facts())
